//! Lines of files that are worth reading. Secrets in them are masked. Each file is read once an answer.

use rustc_hash::FxHashMap;

use crate::answer::Item;
use crate::view::{FileId, View};

/// The longest line that is shown whole, in bytes.
const MAX_LINE_BYTES: usize = 240;

/// The files that one answer shows lines of.
pub(crate) struct Excerpts<'v> {
    view: &'v View,
    /// What was read; none where the file is gone.
    contents: FxHashMap<FileId, Option<Vec<u8>>>,
}

impl<'v> Excerpts<'v> {
    pub(crate) fn new(view: &'v View) -> Self {
        Self { view, contents: FxHashMap::default() }
    }

    /// The lines of an item: at most `lines` of them, from its first line on.
    pub(crate) fn of_item(&mut self, item: &Item, lines: u32) -> Option<String> {
        let id = self.view.find(&item.path)?;
        let start = item.start_line.max(1);
        let end = item.end_line.max(start).min(start + lines - 1);
        self.of_lines(id, start, end)
    }

    /// These lines of a file, from 1, both included.
    pub(crate) fn of_lines(&mut self, id: FileId, start: u32, end: u32) -> Option<String> {
        let content = self.contents.entry(id).or_insert_with(|| self.view.read(id));
        of_lines(content.as_deref()?, start, end)
    }
}

/// These lines of a text, from 1, both included.
pub(crate) fn of_lines(content: &[u8], start: u32, end: u32) -> Option<String> {
    let skipped = start.saturating_sub(1) as usize;
    let count = (end + 1).saturating_sub(start) as usize;
    let begin = match skipped {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', content).nth(skipped - 1)? + 1,
    };
    let lines = content[begin..].split(|byte| *byte == b'\n').take(count);
    let shown: Vec<String> = lines.map(shorten).collect();
    let text = shown.join("\n");
    (!text.trim().is_empty()).then(|| redact::Redactor::new().redact(&text).text.into_owned())
}

fn shorten(line: &[u8]) -> String {
    let cut = line.len() > MAX_LINE_BYTES;
    let shown = String::from_utf8_lossy(&line[..line.len().min(MAX_LINE_BYTES)]);
    let shown = shown.trim_end();
    if cut { format!("{shown}…") } else { shown.to_owned() }
}
