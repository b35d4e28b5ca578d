//! What Claude Code's own record of a session, or of a sub-agent, says that was done. It is read from
//! its end, within a budget of bytes and of time, because it may be of any size and made by anybody.
//!
//! Absent: judgement, and what an agent says of itself.

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

/// The most that is read of one record, in bytes, counted from its end.
pub const READ_MAX: u64 = 64 * 1024 * 1024;

/// How much of a record was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// All that was asked for was found, or the beginning was reached.
    #[default]
    Whole,
    /// [`READ_MAX`] ended the reading.
    Budget,
    /// The time ended the reading.
    Deadline,
}

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It is no file; opening a pipe would wait for its other end.
    #[error("the transcript is no file")]
    NotAFile,
    /// It is missing or may not be read.
    #[error("the transcript cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Goes over the entries of a record from the last to the first, until `visit` has enough.
///
/// `wants` looks at a raw line first: parsing costs a hundred times as much.
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

/// How long to wait between two looks at a record that lags.
const PAUSE: Duration = Duration::from_millis(20);

/// Reads until what is read is settled, or the time is up: the client writes its record a little after
/// it calls the hook.
pub fn settled<T>(until: Instant, read: impl Fn() -> T, is_settled: impl Fn(&T) -> bool) -> T {
    loop {
        let found = read();
        // A look that begins when the time is over sees nothing: the last one before it counts.
        if is_settled(&found) || Instant::now() + PAUSE >= until {
            return found;
        }
        // A pause that is cut short costs one more look.
        std::thread::park_timeout(PAUSE);
    }
}

/// Whether a visitor needs more entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    Yes,
    No,
}

/// Whether a raw line has this word.
fn has(line: &[u8], word: &str) -> bool {
    memchr::memmem::find(line, word.as_bytes()).is_some()
}

#[cfg(test)]
mod tests;
