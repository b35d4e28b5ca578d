//! Lines of a file that are worth reading. Secrets in them are masked.

use crate::answer::Item;
use crate::view::View;

/// The longest line that is shown whole, in bytes.
const MAX_LINE_BYTES: usize = 240;

/// The lines of an item: at most `lines` of them, from its first line on.
pub(crate) fn of_item(view: &View, item: &Item, lines: u32) -> Option<String> {
    let id = view.find(&item.path)?;
    let start = item.start_line.max(1);
    let end = item.end_line.max(start).min(start + lines - 1);
    of_lines(&view.read(id)?, start, end)
}

/// These lines of a text, from 1, both included.
pub(crate) fn of_lines(content: &[u8], start: u32, end: u32) -> Option<String> {
    let skipped = start.saturating_sub(1) as usize;
    let count = (end + 1).saturating_sub(start) as usize;
    let lines = content.split(|byte| *byte == b'\n').skip(skipped).take(count);
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
