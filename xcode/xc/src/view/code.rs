//! Code with its colours, line by line as it comes: each piece is parsed on top of what is parsed already, so that a long
//! block costs no more by the line than a short one. What exceeds a bound has no colours. Only styles are added: the text
//! stays as it is. Absent: where code begins and ends, which is `markdown` and `answer`.

mod grammar;

use std::ops::{ControlFlow, Range};
use std::time::Duration;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use rustix::time::{ClockId, clock_gettime};
use tree_sitter::{
    InputEdit, ParseOptions, ParseState, Parser, Point, QueryCursor, QueryCursorOptions,
    QueryCursorState, StreamingIterator as _, Tree,
};

use grammar::{Colours, Grammar};

/// The longest block that has colours to its end, in bytes.
const MAX_BYTES: usize = 128 * 1024;

/// The deepest nesting of brackets. Parsing what is still open costs more with each of them, and hand-written code stays
/// below twenty.
const MAX_NESTING: usize = 100;

/// How much processor time a whole block may take, beyond [`FREE`] for each piece: other work of the machine takes no colours
/// away.
const MAX_TIME: Duration = Duration::from_millis(250);

/// Ten times what an ordinary line takes. A line that comes slowly is looked at with each frame.
const FREE: Duration = Duration::from_millis(1);

/// Matches of patterns that are open at one place: hand-written code has a few.
const MAX_MATCHES: u32 = 256;

/// A block of code.
#[derive(Default)]
pub(super) struct Code {
    /// None where the language is not known, or a bound is exceeded.
    parsed: Option<Parsed>,
}

struct Parsed {
    colours: &'static Colours,
    /// What stands before a source that does not begin with it.
    opening: &'static str,
    parser: Parser,
    source: String,
    end: End,
    time: Duration,
}

/// What is known at the end of a source.
#[derive(Clone, Default)]
struct End {
    /// Of the source and the brackets that close it.
    tree: Option<Tree>,
    place: Point,
    /// The other ends of the brackets that are open, the innermost last: without regard to strings, so a guess.
    open: Vec<char>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Code").field("has_colours", &self.parsed.is_some()).finish()
    }
}

impl Code {
    /// Nothing yet of a block in the language that is named behind its fence.
    pub(super) fn new(info: &str) -> Self {
        let parsed = Grammar::named(info).and_then(|grammar| {
            let mut parser = Parser::new();
            parser.set_language(&grammar.language()).ok()?;
            let (colours, opening) = (grammar.colours()?, grammar.opening);
            let (source, end) = (String::new(), End::default());
            Some(Parsed { colours, opening, parser, source, end, time: MAX_TIME })
        });
        Self { parsed }
    }

    /// Whole lines that come next, each with its end.
    pub(super) fn push(&mut self, text: &str) -> Vec<Line<'static>> {
        if text.is_empty() {
            return Vec::new();
        }
        let styles = self.styles(text);
        lines(text, &styles)
    }

    /// A line that has not ended, as it looks so far.
    pub(super) fn peek(&mut self, text: &str) -> Line<'static> {
        let Some(parsed) = &self.parsed else { return Line::from(text.to_owned()) };
        let (length, end) = (parsed.source.len(), parsed.end.clone());
        let styles = self.styles(text);
        if let Some(parsed) = &mut self.parsed {
            parsed.source.truncate(length);
            parsed.end = end;
        }
        lines(text, &styles).pop().unwrap_or_default()
    }

    /// The style of each byte of what comes next; empty where there are none.
    fn styles(&mut self, text: &str) -> Vec<Style> {
        let styles = self.parsed.as_mut().and_then(|parsed| parsed.styles(text));
        if styles.is_none() {
            self.parsed = None;
        }
        styles.unwrap_or_default()
    }
}

impl Parsed {
    /// The style of each byte of what comes next, or none where a bound is exceeded.
    fn styles(&mut self, text: &str) -> Option<Vec<Style>> {
        let begun = processor_time();
        if self.source.is_empty() && !text.trim_start().starts_with("<?") {
            self.source.push_str(self.opening);
            self.end.place = after(self.end.place, self.opening);
        }
        let start = self.source.len();
        self.source.push_str(text);
        if self.source.len() > MAX_BYTES {
            return None;
        }
        let end = self.source.len();
        self.parse(start, begun)?;
        let styles = self.colour(start..end, begun)?;
        self.source.truncate(end);
        let taken = processor_time().saturating_sub(begun);
        self.time = self.time.checked_sub(taken.saturating_sub(FREE))?;
        Some(styles)
    }

    /// Parses what comes next: the source from `start` on. What is open in it is closed at its end for that: the beginning
    /// of a function would else be none.
    fn parse(&mut self, start: usize, begun: Duration) -> Option<()> {
        let End { tree, place: start_position, open } = std::mem::take(&mut self.end);
        let text = &self.source[start..];
        let place = after(start_position, text);
        let closed = open.len();
        let open = nested(open, text)?;
        self.source.extend(open.iter().rev());
        let before = tree.map(|mut tree| {
            let along = |place: Point, open: usize| Point { column: place.column + open, ..place };
            tree.edit(&InputEdit {
                start_byte: start,
                old_end_byte: start + closed,
                new_end_byte: self.source.len(),
                start_position,
                old_end_position: along(start_position, closed),
                new_end_position: along(place, open.len()),
            });
            tree
        });
        let mut bounded = |_: &ParseState| until(begun, self.time);
        let options = ParseOptions::new().progress_callback(&mut bounded);
        let source = self.source.as_bytes();
        let mut read = |offset: usize, _| source.get(offset..).unwrap_or_default();
        let tree = self.parser.parse_with_options(&mut read, before.as_ref(), Some(options))?;
        self.end = End { tree: Some(tree), place, open };
        Some(())
    }

    /// The style of each byte in that part of the source.
    fn colour(&self, part: Range<usize>, begun: Duration) -> Option<Vec<Style>> {
        let tree = self.end.tree.as_ref()?;
        let source = self.source.as_bytes();
        let mut styles = vec![Style::default(); part.len()];
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_MATCHES);
        cursor.set_byte_range(part.clone());
        let mut bounded = |_: &QueryCursorState| until(begun, self.time);
        let options = QueryCursorOptions::new().progress_callback(&mut bounded);
        let query = &self.colours.query;
        let mut captures = cursor.captures_with_options(query, tree.root_node(), source, options);
        // An outer node comes before those in it, and of several patterns for one node the one that counts is the last.
        while let Some((found, place)) = captures.next() {
            let Some(capture) = found.captures().get(*place) else { continue };
            let style = self.colours.styles.get(capture.index as usize).copied().flatten();
            let within = |at: usize| at.clamp(part.start, part.end) - part.start;
            let range = capture.node.byte_range();
            let range = within(range.start)..within(range.end);
            if let (Some(style), Some(bytes)) = (style, styles.get_mut(range)) {
                bytes.fill(style);
            }
        }
        Some(styles)
    }
}

fn until(begun: Duration, time: Duration) -> ControlFlow<()> {
    let taken = processor_time().saturating_sub(begun);
    if taken < time + FREE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// What this thread has taken so far.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// The end of a text that begins at `place`.
fn after(place: Point, text: &str) -> Point {
    match text.rfind('\n') {
        Some(last) => {
            Point { row: place.row + text.matches('\n').count(), column: text.len() - last - 1 }
        }
        None => Point { column: place.column + text.len(), ..place },
    }
}

/// What is open at the end of a text at whose beginning that was, or none where it becomes too deep.
fn nested(mut open: Vec<char>, text: &str) -> Option<Vec<char>> {
    for char in text.chars() {
        match char {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            // One that fits nothing is in a string, or the code is broken.
            _ => drop(open.pop_if(|last| *last == char)),
        }
        if open.len() > MAX_NESTING {
            return None;
        }
    }
    Some(open)
}

/// The lines of a text, with the style of each of its bytes.
fn lines(text: &str, styles: &[Style]) -> Vec<Line<'static>> {
    let mut start = 0;
    let line = |line: &str| {
        let styles = styles.get(start..).unwrap_or_default();
        start += line.len();
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').unwrap_or(text);
        spans(text, styles)
    };
    text.split_inclusive('\n').map(line).collect()
}

/// A line in pieces of one style; an empty one has an empty piece.
fn spans(text: &str, styles: &[Style]) -> Line<'static> {
    let style = |at: usize| styles.get(at).copied().unwrap_or_default();
    let mut line = Line::default();
    let mut start = 0;
    for (at, _) in text.char_indices() {
        if style(at) != style(start) {
            line.push_span(Span::styled(text[start..at].to_owned(), style(start)));
            start = at;
        }
    }
    line.push_span(Span::styled(text[start..].to_owned(), style(start)));
    line
}

#[cfg(test)]
mod tests;
