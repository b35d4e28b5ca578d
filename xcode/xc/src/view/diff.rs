//! A change of a file: removed lines red, added ones green. Not here: finding the hunks, which the agent does.

use ratatui_core::style::{Style, Stylize as _};
use ratatui_core::text::Line;

/// Lines of a file that change together, with some unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// Its first line in the old text, from 1.
    pub(crate) old_start: usize,
    /// Its first line in the new text, from 1.
    pub(crate) new_start: usize,
    /// In order.
    pub(crate) lines: Vec<(Sign, String)>,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It is unchanged.
    Same,
    /// It is removed.
    Old,
    /// It is added.
    New,
}

/// `path (+3 -1)`.
pub(crate) fn summary(path: &str, hunks: &[Hunk]) -> Line<'static> {
    let count = |sign| {
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|(is, _)| *is == sign).count()
    };
    let (new, old) = (count(Sign::New), count(Sign::Old));
    Line::from(format!("{} (+{new} -{old})", redact::visible_line(path))).bold()
}

/// A hunk: its place, then its lines. Invisible characters are escaped.
pub(crate) fn hunk(hunk: &Hunk) -> Vec<Line<'static>> {
    let count = |but| hunk.lines.iter().filter(|(sign, _)| *sign != but).count();
    let (old, new) = (count(Sign::New), count(Sign::Old));
    let place = format!("@@ -{},{old} +{},{new} @@", hunk.old_start, hunk.new_start);
    let mut lines = vec![Line::from(place).cyan()];
    lines.extend(hunk.lines.iter().map(|(sign, text)| {
        let (mark, style) = match sign {
            Sign::Same => (' ', Style::new().dim()),
            Sign::Old => ('-', Style::new().red()),
            Sign::New => ('+', Style::new().green()),
        };
        let text = redact::visible(text);
        Line::styled(format!("{mark}{}", text.trim_end_matches('\n')), style)
    }));
    lines
}
