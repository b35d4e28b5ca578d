//! Random faults against the real daemon: a Codex that misbehaves in every known way, callers
//! that give up, guards and daemons that are killed. Counts violations: survivors, hangs,
//! lost runs and wrong outcomes. The faults come from a seed that is printed.

mod caller;
mod chance;
mod fault;
mod ledger;
mod target;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;

use chance::Chance;
use ledger::Ledger;
use target::Target;

/// Concurrent callers: more than the daemon runs at once, so that some wait.
const CALLERS: u64 = 12;

/// Provokes faults until both bounds are reached, and says what came of it.
#[derive(Debug, Parser)]
struct Arguments {
    /// At least this many faults.
    #[arg(long, default_value_t = 1000)]
    faults: u64,

    /// At least this many seconds.
    #[arg(long, default_value_t = 0)]
    seconds: u64,

    /// Where the faults come from; the clock when absent.
    #[arg(long)]
    seed: Option<u64>,
}

/// The `soak` command: exits 0 if no violation was found.
#[must_use]
#[tokio::main]
pub async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout();
    match soak(&arguments).await {
        Ok(ledger) => {
            let _ = writeln!(out, "{ledger}");
            if ledger.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _ = writeln!(out, "soak: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn soak(arguments: &Arguments) -> anyhow::Result<Ledger> {
    let seed = arguments.seed.unwrap_or_else(chance::seed_of_now);
    let _ = writeln!(std::io::stdout(), "soak: seed {seed}");
    let begun = Instant::now();
    let ledger = Arc::new(Ledger::default());
    let target = Arc::new(Target::start(&mut Chance::new(seed)).await?);

    let (faults, duration) = (arguments.faults, Duration::from_secs(arguments.seconds));
    let callers = (1..=CALLERS).map(|number| {
        let (target, ledger) = (Arc::clone(&target), Arc::clone(&ledger));
        let mut chance = Chance::new(seed.wrapping_add(number));
        tokio::spawn(async move {
            while ledger.begin_fault(faults) || begun.elapsed() < duration {
                caller::provoke(&target, &mut chance, &ledger).await;
            }
        })
    });
    let callers = futures_util::future::try_join_all(callers);
    let mut chance = Chance::new(seed);
    tokio::pin!(callers);
    loop {
        let pause = chance.duration(Duration::from_secs(2), Duration::from_secs(8));
        tokio::select! {
            // Cancel safe: the callers are separate tasks.
            ended = &mut callers => {
                ended?;
                break;
            }
            // Cancel safe: only a pause.
            () = tokio::time::sleep(pause) => target.kill_and_restart(&mut chance, &ledger).await?,
        }
    }
    target.settle(&ledger).await?;
    drop(target);
    let ledger = Arc::into_inner(ledger).expect("the callers have ended");
    ledger.finish(begun.elapsed());
    Ok(ledger)
}
