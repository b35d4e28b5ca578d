//! Reads the lines of files that answers show, with secrets masked. Each file is read once per answer.

use redact::Cut;
use rustc_hash::FxHashMap;

use crate::answer::Item;
use crate::view::{FileId, View};

/// The longest line that is shown in full, in bytes.
const MAX_LINE_BYTES: usize = 240;

/// How much of a line is read, in bytes: what is shown, and any secret that begins in it.
const READ_LINE_BYTES: usize = 8192;

/// Reads lines of files for one answer.
pub(crate) struct Excerpts<'v> {
    view: &'v View,
    /// The files read so far; none for a file that is gone or binary, of which nothing is shown.
    contents: FxHashMap<FileId, Option<Vec<u8>>>,
}

impl<'v> Excerpts<'v> {
    pub(crate) fn new(view: &'v View) -> Self {
        Self { view, contents: FxHashMap::default() }
    }

    /// The first lines of an item, at most `lines` of them.
    pub(crate) fn of_item(&mut self, item: &Item, lines: u32) -> Option<String> {
        let id = self.view.find(&item.path)?;
        let start = item.start_line.max(1);
        let end = item.end_line.max(start).min(start + lines - 1);
        self.of_lines(id, start, end)
    }

    /// These lines of a file, counted from 1, both included.
    pub(crate) fn of_lines(&mut self, id: FileId, start: u32, end: u32) -> Option<String> {
        let read = || self.view.file(id).is_text.then(|| self.view.read(id)).flatten();
        let content = self.contents.entry(id).or_insert_with(read);
        of_lines(content.as_deref()?, start, end)
    }
}

/// These lines of a text, counted from 1, both included.
pub(crate) fn of_lines(content: &[u8], start: u32, end: u32) -> Option<String> {
    let skipped = start.saturating_sub(1) as usize;
    let count = (end + 1).saturating_sub(start) as usize;
    let begin = match skipped {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', content).nth(skipped - 1)? + 1,
    };
    let lines = content[begin..].split(|byte| *byte == b'\n').take(count);
    let read: Vec<_> = lines
        .map(|line| String::from_utf8_lossy(&line[..line.len().min(READ_LINE_BYTES)]))
        .map(|line| line.trim_end().replace('\r', " "))
        .collect();
    // Masked before the lines are cut, so that no cut leaves half a secret.
    let safe = redact::sanitize(&read.join("\n"), Cut::NONE);
    let shown: Vec<String> = safe.lines().map(shorten).collect();
    let text = shown.join("\n");
    (!text.trim().is_empty()).then_some(text)
}

fn shorten(line: &str) -> String {
    match line.len() > MAX_LINE_BYTES {
        true => format!("{}…", line[..line.floor_char_boundary(MAX_LINE_BYTES)].trim_end()),
        false => line.trim_end().to_owned(),
    }
}
