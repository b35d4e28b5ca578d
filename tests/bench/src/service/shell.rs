//! What the guard adds to a shell call: `sh -c`, some output, the end; in
//! alternation, so that a load peak affects both. The guard is the daemon's executable.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use supervise::{Cause, Chunk, Exit, Guard, Limits, WatchBounds, watch};
use tests::harness::built;
use tokio_util::sync::CancellationToken;

use super::report::{Goal, Row};
use super::samples::{Samples, millis};

/// Rounds that are not counted.
const WARM_UP: usize = 3;

/// The median time that the guard may add, in milliseconds.
const ADDED_MEDIAN_MAX: f64 = 8.0;

/// More than any such call may take.
const LIMIT: Duration = Duration::from_secs(60);

const SCRIPT: &str = "echo one; echo two >&2";

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let guard = Guard::new(built("bridge-under-test")?);
    let (mut bare, mut watched) = (Vec::new(), Vec::new());
    for round in 0..count + WARM_UP {
        let alone = tokio::task::spawn_blocking(run_bare).await??;
        let fenced = run_watched(&guard).await?;
        if round >= WARM_UP {
            bare.push(millis(alone));
            watched.push(millis(fenced));
        }
    }
    let added = Samples::new(watched.iter().zip(&bare).map(|(watched, bare)| watched - bare));
    let median = added.median();
    Ok(vec![
        Row::times("a shell call, bare", &Samples::new(bare)),
        Row::times("a shell call, watched", &Samples::new(watched)),
        Row::times("added by watching a shell call, pair by pair", &added).with(Goal::at_most(
            median,
            ADDED_MEDIAN_MAX,
            "ms",
        )),
    ])
}

async fn run_watched(guard: &Guard) -> anyhow::Result<Duration> {
    let command = supervise::Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), SCRIPT.into()],
        env: Vec::new(),
        current_dir: "/".into(),
        stdin: Vec::new(),
    };
    let bounds = WatchBounds {
        deadline: tokio::time::Instant::now() + LIMIT,
        output_max: 1 << 20,
        grace: Duration::from_millis(700),
        limits: Limits::NONE,
    };
    let mut printed = 0;
    let begun = Instant::now();
    let never = CancellationToken::new();
    let ended = watch(guard, command, bounds, &never, |chunk| match chunk {
        Chunk::Started(_) => {}
        Chunk::Stdout(bytes) | Chunk::Stderr(bytes) => printed += bytes.len(),
    })
    .await?;
    let time = begun.elapsed();
    ensure!(ended.cause == Cause::Exited && ended.exit == Exit::Code(0), "{ended:?}");
    ensure!(printed == 8, "{printed} bytes were printed");
    Ok(time)
}

#[expect(clippy::disallowed_methods, reason = "what a caller without the guard would do")]
fn run_bare() -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let child = std::process::Command::new("/bin/sh")
        .args(["-c", SCRIPT])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("there is no shell")?;
    let output = child.wait_with_output()?;
    let time = begun.elapsed();
    ensure!(output.status.success() && output.stdout == b"one\n", "{output:?}");
    Ok(time)
}
