//! Runs a server that communicates on stdin and stdout. It runs behind a guard like any other program,
//! but its stdin stays open and its stdout is read by the caller.
//!
//! Not here: any knowledge of the protocol, and a deadline. The caller ends the run by dropping it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::watch;

use crate::command::Command;
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::process::Process;
use crate::report::{Report, Reports};
use crate::tail::Tail;
use crate::task::{Ground, Task};

/// Number of bytes kept from the end of stderr.
const STDERR_MAX: usize = 4 << 10;

/// A program that runs until [`Conversation::input`] is dropped.
#[derive(Debug)]
pub struct Conversation {
    /// The program's stdin. Dropping it kills every process of the run; while it is
    /// open, the program is kept alive even if nothing is written.
    pub input: OwnedWriteHalf,
    /// The program's stdout.
    pub output: Receiver,
    /// The end of its stderr so far.
    pub stderr: StderrTail,
}

/// The growing end of a program's stderr.
#[derive(Debug, Clone)]
pub struct StderrTail {
    tail: Arc<Mutex<Tail>>,
    /// Nothing is ever sent: the sender is dropped when stderr ends.
    open: watch::Receiver<()>,
}

impl StderrTail {
    /// The last 4 KiB so far, invalid UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).clone().into_text()
    }

    /// The same after stderr has ended: when the program, and every child that holds it, has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping it loses nothing.
    pub async fn whole(&mut self) -> String {
        while self.open.changed().await.is_ok() {}
        self.text()
    }
}

/// Starts a program to communicate with. [`Command::stdin`] is its first input.
///
/// Whenever the caller ends, even by SIGKILL, no process of the program is left.
///
/// # Errors
///
/// [`SpawnError`] if the program could not be started.
///
/// # Cancel safety
///
/// If dropped, everything that was started is killed.
pub async fn converse(guard: &Guard, command: Command) -> Result<Conversation, SpawnError> {
    let isolation = guard.isolation().await;
    let Command { program, args, env, current_dir, stdin } = command;
    // Stdin ends only with the channel.
    let (stdin_bytes, limits, fence) = (u64::MAX, guard.limits(), guard.fence().await?);
    let is_stdin_open = false;
    let dir = current_dir;
    let ground = Ground::of(isolation, limits, fence.as_ref());
    let task = Task { stdin_bytes, is_stdin_open, fence, dir, program, args, env };
    let mut process = Process::start(guard, ground, &task, stdin).await?;
    let (until_it_ends, open) = watch::channel(());
    let stderr = StderrTail { tail: Arc::new(Mutex::new(Tail::new(STDERR_MAX))), open };
    let mut pipe = process.stderr;
    let filled = Arc::clone(&stderr.tail);
    tokio::spawn(async move {
        let _until_it_ends = until_it_ends;
        let mut chunk = vec![0; STDERR_MAX];
        // An error is the end of the stream.
        while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
            filled.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..read]);
        }
    });
    let mut partial = Reports::default();
    let mut bytes = [0; 64];
    loop {
        match partial.next() {
            Some(Report::Started(_)) => break,
            Some(report) => {
                if let Some(error) = SpawnError::reported(report, &task) {
                    return Err(error);
                }
            }
            None => match process.reports.read(&mut bytes).await {
                Ok(read @ 1..) => partial.push(&bytes[..read]),
                Ok(0) | Err(_) => {
                    return Err(SpawnError::GuardSilent { stderr_tail: stderr.text() });
                }
            },
        }
    }
    while process.outbound.waits() {
        process.outbound.send().await;
    }
    let Some(input) = process.outbound.into_channel() else {
        return Err(SpawnError::GuardSilent { stderr_tail: stderr.text() });
    };
    // The reading half must live as long as the conversation: otherwise nobody would read the report
    // of the end, and the guard would see a broken channel.
    let mut reports = process.reports;
    tokio::spawn(async move { while let Ok(1..) = reports.read(&mut bytes).await {} });
    let output = process.stdout.into_receiver().map_err(SpawnError::guard)?;
    Ok(Conversation { input, output, stderr })
}
