//! The memory of the project: `context.md`, lasting facts that the historian names, and
//! `chronicle.md`, one line for each review. Both are written by code, bounded, the oldest going first,
//! and shown to the next historian. Lines that somebody else wrote above the list stay.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use crate::fence;

/// How many lines of a list are kept, and how long a line is.
const LINES_MAX: usize = 200;
const LINE_MAX: usize = 300;
/// The largest file that is read, in bytes; a larger one is left alone.
const BYTES_MAX: u64 = 256 * 1024;
/// How much of each a historian is shown, in characters.
const SHOWN_MAX: usize = 1_500;

/// The two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Lasting facts.
    Context,
    /// What was reviewed when.
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

/// Adds lasting facts that are not there yet.
///
/// # Errors
/// When the file cannot be read or written, or is too large.
pub(super) fn remember(folder: &Path, facts: &[String]) -> io::Result<()> {
    add(folder, Memory::Context, facts)
}

/// Adds a line to the chronicle.
///
/// # Errors
/// As [`remember`].
pub(super) fn chronicle(folder: &Path, line: &str) -> io::Result<()> {
    add(folder, Memory::Chronicle, &[line.to_owned()])
}

/// What is remembered, as a historian is shown it. What cannot be read is left out.
#[must_use]
pub(super) fn recalled(folder: &Path) -> String {
    let mut text = String::new();
    for memory in [Memory::Context, Memory::Chronicle] {
        let whole = read(folder, memory).unwrap_or_default();
        let lines: Vec<&str> = whole.lines().filter(|line| line.starts_with("- ")).collect();
        let mut shown = Vec::new();
        let mut length = 0;
        for line in lines.iter().rev() {
            length += line.chars().count() + 1;
            if length > SHOWN_MAX {
                break;
            }
            shown.push(*line);
        }
        shown.reverse();
        if !shown.is_empty() {
            text.push_str(&format!("{}:\n{}\n", memory.name(), shown.join("\n")));
        }
    }
    fence::tame(text.trim_end(), 2 * SHOWN_MAX)
}

fn add(folder: &Path, memory: Memory, facts: &[String]) -> io::Result<()> {
    let old = match read(folder, memory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => memory.title().to_owned(),
        read => read?,
    };
    let mut lines: Vec<&str> = old.lines().collect();
    let mut new: Vec<String> = Vec::new();
    for fact in facts {
        let line = format!("- {}", fence::tame_line(fact, LINE_MAX));
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
    let half = folder.join(format!(".{}.{}.half", memory.name(), std::process::id()));
    let mut file = File::create(&half)?;
    file.write_all(format!("{}\n", lines.join("\n")).as_bytes())?;
    file.sync_all()?;
    fs::rename(&half, folder.join(memory.name()))
}

fn read(folder: &Path, memory: Memory) -> io::Result<String> {
    let path = folder.join(memory.name());
    let found = path.metadata()?;
    if !found.is_file() || found.len() > BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = String::new();
    File::open(path)?.take(BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}
