//! `--start`: a daemon where there is none. It stays when this command ends.

use host::streams;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::Duration;

use client::address::Address;
use client::{Finder, Origin, Presence};
use contract::failure::{Failure, FailureCode};
use host::environment;
use supervise::{Detach, Detached, detach, installed_beside};
use tokio::time::{Instant, sleep};

use crate::caller::Caller;
use crate::words;

/// The daemon's executable.
const PROGRAM: &str = "codex-bridge";

/// How long a daemon may take to answer: a fraction of a second, unless the machine is busy.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How often it is looked for.
const INTERVAL: Duration = Duration::from_millis(25);

/// The daemon's exit code where another one has the state folder: one that is just starting, too.
const IN_USE: i32 = 75;

/// How much of the log's end is shown, in bytes.
const LOG_TAIL_BYTES: u64 = 600;

/// Starts the daemon if nobody answers, and waits until it does.
///
/// # Errors
/// `bridge_unreachable`, with the end of the daemon's log where there is one.
///
/// # Cancel safety
/// A daemon that was started stays.
pub(crate) async fn ensure(caller: &Caller, deadline: Instant) -> Result<(), Failure> {
    match caller.client.presence(deadline).await {
        Presence::Serving(_) => return Ok(()),
        Presence::Unusable(failure) => return Err(failure),
        Presence::Nobody(_) => {}
    }
    let program = installed_beside(PROGRAM).map_err(failed)?;
    let state_dir = caller.client.finder().state_dir().ok_or_else(|| {
        failed("there is no state folder for it: HOME and CODEX_BRIDGE_STATE_DIR are not set")
    })?;
    let log = host::state_dir::log(&state_dir);
    let mut daemon = spawn(caller, &program, &state_dir, &log).map_err(|error| {
        failed(format!("{} with its log in {}: {error}", program.display(), log.display()))
    })?;
    streams::note(&format!(
        "started {} (process {}); its log is {}",
        program.display(),
        daemon.pid(),
        log.display()
    ));
    await_answer(caller, &mut daemon, &log, deadline.min(Instant::now() + START_LIMIT)).await
}

async fn await_answer(
    caller: &Caller,
    daemon: &mut Detached,
    log: &Path,
    deadline: Instant,
) -> Result<(), Failure> {
    loop {
        let last = match caller.client.presence(deadline).await {
            Presence::Serving(_) => return Ok(()),
            Presence::Nobody(failure) | Presence::Unusable(failure) => failure.error.message,
        };
        if let Ok(Some(status)) = daemon.ended()
            && status.code() != Some(IN_USE)
        {
            return Err(failed(format!("it ended at once ({status}):\n{}", tail(log))));
        }
        if Instant::now() >= deadline {
            return Err(failed(format!("it does not answer in time ({last}):\n{}", tail(log))));
        }
        sleep(INTERVAL).await;
    }
}

fn spawn(
    caller: &Caller,
    program: &Path,
    state_dir: &Path,
    log: &Path,
) -> std::io::Result<Detached> {
    if !state_dir.exists() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(state_dir)?;
    }
    let environment = &caller.environment;
    let mut env: Vec<(OsString, OsString)> = environment
        .variables()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .filter(|(name, _)| name != environment::STATE_DIR)
        .collect();
    // It starts in `/`, where a relative path would mean another folder.
    env.push((environment::STATE_DIR.into(), state_dir.into()));
    let mut args: Vec<OsString> = vec!["serve".into(), "--detached".into()];
    args.extend(place(caller.client.finder()));
    detach(&Detach { program: program.to_owned(), args, env, log: log.to_owned() })
}

/// The address, where the caller names one; a stale address file does not count.
fn place(finder: &Finder) -> Vec<OsString> {
    match finder.address() {
        Ok(found) if matches!(found.origin, Origin::Variable(_)) => match found.value {
            Address::Unix(path) => vec!["--socket".into(), path.into()],
            Address::Tcp { host, port } => {
                let host = if host == "localhost" { "127.0.0.1".to_owned() } else { host };
                let host = if host.contains(':') { format!("[{host}]") } else { host };
                vec!["--listen".into(), format!("{host}:{port}").into()]
            }
        },
        Ok(_) | Err(_) => Vec::new(),
    }
}

fn failed(why: impl std::fmt::Display) -> Failure {
    Failure::new(
        FailureCode::BridgeUnreachable,
        format!("codex-bridge could not be started: {why}"),
    )
}

/// The end of the daemon's log.
fn tail(log: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        Ok(text)
    };
    words::tame(String::from_utf8_lossy(&read().unwrap_or_default()).trim())
}
