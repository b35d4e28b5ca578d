//! Parses Claude Code's transcript of a session, or of a sub-agent, to find out what was done. It is read from
//! its end, with limits on bytes and time, because it may be of any size and by any writer.
//!
//! Not here: judgement, and what an agent says about itself.

mod agent;
mod call;
mod recent;

pub use agent::{Record, record, record_path};
pub use call::{Done, REFUSED, Status};
pub use recent::{Recent, recent};

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use claude_hooks::transcript::{Entry, Tail};
use serde::{Deserialize, Serialize};

/// Maximum size of a transcript's tail that is read, in bytes.
pub const READ_MAX: u64 = 64 * 1024 * 1024;

/// How much of a transcript was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Everything requested was found, or the beginning was reached.
    #[default]
    Whole,
    /// Up to the limit [`READ_MAX`].
    Budget,
    /// Up to the deadline.
    Deadline,
}

/// Why a transcript cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It is not a regular file; opening a pipe would block.
    #[error("the transcript is no file")]
    NotAFile,
    /// It is missing or not readable.
    #[error("the transcript cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Visits the entries of a transcript from the last to the first, until `visit` has enough.
///
/// `wants` checks a raw line first, because parsing costs a hundred times as much.
fn walk(
    path: &Path,
    until: Instant,
    wants: impl Fn(&[u8]) -> bool,
    mut visit: impl FnMut(Entry) -> Enough,
) -> Result<Coverage, Unread> {
    if !path.metadata()?.is_file() {
        return Err(Unread::NotAFile);
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    for line in Tail::new(file, READ_MAX)? {
        if Instant::now() >= until {
            return Ok(Coverage::Deadline);
        }
        let line = line?;
        if !wants(&line) {
            continue;
        }
        if let Some(entry) = Entry::parse(&line)
            && visit(entry) == Enough::Yes
        {
            return Ok(Coverage::Whole);
        }
    }
    Ok(if length > READ_MAX { Coverage::Budget } else { Coverage::Whole })
}

/// Pause between two reads of a transcript that is incomplete.
const PAUSE: Duration = Duration::from_millis(20);

/// Reads repeatedly until the result is settled, or the time is up: the client writes its transcript shortly after
/// it calls the hook.
pub fn settled<T>(until: Instant, read: impl Fn() -> T, is_settled: impl Fn(&T) -> bool) -> T {
    loop {
        let found = read();
        // A read after the deadline sees nothing, so the last result before it counts.
        if is_settled(&found) || Instant::now() + PAUSE >= until {
            return found;
        }
        // A pause that ends early costs one more read.
        std::thread::park_timeout(PAUSE);
    }
}

/// Whether a visitor needs more entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    Yes,
    No,
}

/// Whether a raw line contains this text.
fn has(line: &[u8], word: &str) -> bool {
    memchr::memmem::find(line, word.as_bytes()).is_some()
}

#[cfg(test)]
mod tests;
