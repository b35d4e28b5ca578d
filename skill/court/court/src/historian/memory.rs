//! The memory of the project: `context.md`, lasting facts named by the historian, and
//! `chronicle.md`, one line per review. Both are written by code, bounded by dropping the oldest lines,
//! and shown to the next historian. Lines by other writers stay, and are labelled as such.

use crate::fence;
use crate::records::{Kind, digest};
use crate::store::{Store, StoreError};

/// Maximum number of lines in a list, and maximum length of a line.
const LINES_MAX: usize = 200;
const LINE_MAX: usize = 300;
/// Maximum size of a file, in bytes; a larger one is not touched.
const BYTES_MAX: u64 = 256 * 1024;
/// Maximum length shown of each to a historian, in characters.
const SHOWN_MAX: usize = 1_500;

/// The two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Lasting facts.
    Context,
    /// What was reviewed, and when.
    Chronicle,
}

impl Memory {
    fn name(self) -> &'static str {
        match self {
            Self::Context => "context.md",
            Self::Chronicle => "chronicle.md",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Context => "# Project memory\n\nLasting facts, named by the historian.\n\n",
            Self::Chronicle => "# Chronicle\n\nOne line for each review.\n\n",
        }
    }
}

/// Adds new lasting facts.
///
/// # Errors
/// The file cannot be read or written, or is too large.
pub(super) fn remember(store: &Store, facts: &[String]) -> Result<(), StoreError> {
    add(store, Memory::Context, facts)
}

/// Adds a line to the chronicle.
///
/// # Errors
/// As [`remember`].
pub(super) fn chronicle(store: &Store, line: &str) -> Result<(), StoreError> {
    add(store, Memory::Chronicle, &[line.to_owned()])
}

/// The memory as shown to a historian: what the court wrote, then what others wrote. Unreadable
/// files are left out.
#[must_use]
pub(super) fn recalled(store: &Store) -> String {
    let own = store.own();
    let own = own.of(Kind::Line);
    let mut text = String::new();
    for memory in [Memory::Context, Memory::Chronicle] {
        let whole = read(store, memory).ok().flatten().unwrap_or_default();
        let lines = whole.lines().filter(|line| line.starts_with("- "));
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| own.contains(digest(line).as_str()));
        for (lines, whose) in [(ours, ""), (theirs, " (not by the historian: the project's own)")] {
            let shown = newest(&lines);
            if !shown.is_empty() {
                text.push_str(&format!("{}{whose}:\n{}\n", memory.name(), shown.join("\n")));
            }
        }
    }
    fence::sanitize(text.trim_end(), 4 * SHOWN_MAX)
}

/// The last lines that fit.
fn newest<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let mut length = 0;
    let fits = |line: &&&str| {
        length += line.chars().count() + 1;
        length <= SHOWN_MAX
    };
    let mut shown: Vec<&str> = lines.iter().rev().take_while(fits).copied().collect();
    shown.reverse();
    shown
}

fn add(store: &Store, memory: Memory, facts: &[String]) -> Result<(), StoreError> {
    let old = read(store, memory)?.unwrap_or_else(|| memory.title().to_owned());
    let mut lines: Vec<&str> = old.lines().collect();
    let mut new: Vec<String> = Vec::new();
    for fact in facts {
        let line = format!("- {}", fence::sanitize_line(fact, LINE_MAX));
        if line.len() > 2 && !lines.contains(&line.as_str()) && !new.contains(&line) {
            new.push(line);
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    lines.extend(new.iter().map(String::as_str));
    let mut over =
        lines.iter().filter(|line| line.starts_with("- ")).count().saturating_sub(LINES_MAX);
    lines.retain(|line| {
        let goes = over > 0 && line.starts_with("- ");
        over -= usize::from(goes);
        !goes
    });
    store.vouch(Kind::Line, new.iter().map(digest))?;
    store.historian().replace(memory.name(), format!("{}\n", lines.join("\n")).as_bytes())
}

fn read(store: &Store, memory: Memory) -> Result<Option<String>, StoreError> {
    let bytes = store.historian().read(memory.name(), BYTES_MAX)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
