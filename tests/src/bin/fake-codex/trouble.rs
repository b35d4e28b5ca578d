//! Misbehaving processes.

#![expect(clippy::disallowed_methods, reason = "a stand-in for a program that starts others")]

use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::Refusal;
use crate::stream::Stream;

/// The hidden subcommand in the middle of a double fork.
pub(crate) const DETACH: &str = "__detach";
/// The hidden subcommand that keeps running.
pub(crate) const LINGER: &str = "__linger";

/// Waits forever.
pub(crate) fn forever() -> Result<u8, Refusal> {
    loop {
        std::thread::park();
    }
}

/// Waits for a duration.
pub(crate) fn pause(duration: Duration) {
    // There is no event to wait for: the delay itself is simulated.
    let (_keep, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(duration);
}

/// Starts a process that has left the session and its parent and keeps stdout and stderr open; its id is
/// printed.
pub(crate) fn daemonise() {
    let spawned = Command::new("/proc/self/exe").arg(DETACH).stdin(Stdio::null()).spawn();
    if let Ok(mut middle) = spawned {
        let _ = middle.wait();
    }
}

/// The middle of a double fork: leaves the session, starts the lasting process, and ends.
pub(crate) fn detach() -> Result<u8, Refusal> {
    let _ = rustix::process::setsid();
    let stays = Command::new("/proc/self/exe").arg(LINGER).stdin(Stdio::null()).spawn();
    if let Ok(stays) = stays {
        Stream::default().event(&serde_json::json!({"type": "fake.daemon", "pid": stays.id()}));
    }
    Ok(0)
}

/// Ignores SIGINT and SIGTERM forever.
pub(crate) fn ignore_signals(ready: impl FnOnce()) -> Result<u8, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let failed = |error: std::io::Error| Refusal(1, format!("Error: {error}"));
    runtime.map_err(failed)?.block_on(async {
        let _interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let _terminate = signal(SignalKind::terminate()).map_err(failed)?;
        ready();
        std::future::pending().await
    })
}

/// Kills itself with SIGKILL.
pub(crate) fn die() -> Result<u8, Refusal> {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    forever()
}

/// Allocates memory until the limit ends the process (SIGABRT). The pages are never written.
pub(crate) fn take_memory() -> Result<u8, Refusal> {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    loop {
        taken.push(vec![0; 64 << 20]);
    }
}

/// The most memory that is written, in pieces, so that a machine without a limit is not overloaded.
const FILL_PIECES: usize = 64;

/// Writes to memory, 16 MiB at a time, until a control group's limit ends the process.
pub(crate) fn fill_memory() -> Result<u8, Refusal> {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    while taken.len() < FILL_PIECES {
        taken.push(vec![1; 16 << 20]);
    }
    Err(Refusal(1, format!("fake-codex: no limit after {} pieces", taken.len())))
}

/// Closes stdout.
pub(crate) fn close_stdout() {
    if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
    }
}
