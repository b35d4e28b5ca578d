//! Syntax highlighting of code, line by line as it streams: each piece is parsed incrementally, so that a line of a long
//! block costs no more than one of a short block. Code beyond a limit is not highlighted. Only styles are added: the text
//! stays the same. Not here: where code begins and ends, which is in `markdown` and `answer`.

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

/// The longest block that is highlighted to its end, in bytes.
const MAX_BYTES: usize = 128 * 1024;

/// The deepest nesting of brackets. Parsing an unfinished block costs more with each open bracket, and hand-written code
/// nests less than twenty deep.
const MAX_NESTING: usize = 100;

/// How much processor time a whole block may take, in addition to [`FREE`] for each piece. Processor time is used, so that a busy
/// machine highlights the same code.
const MAX_TIME: Duration = Duration::from_millis(250);

/// Ten times what an ordinary line takes. An incomplete line is parsed again in each frame.
const FREE: Duration = Duration::from_millis(1);

/// The most simultaneously open pattern matches: hand-written code has a few.
const MAX_MATCHES: u32 = 256;

/// A block of code.
#[derive(Default)]
pub(super) struct Code {
    /// None if the language is unknown, or a limit is exceeded.
    parsed: Option<Parsed>,
}

struct Parsed {
    colours: &'static Colours,
    /// Text that is put before a source that does not begin with it.
    opening: &'static str,
    parser: Parser,
    source: String,
    end: End,
    time: Duration,
}

/// The state at the end of a source.
#[derive(Clone, Default)]
struct End {
    /// The tree of the source and of the brackets that close it.
    tree: Option<Tree>,
    place: Point,
    /// The closing brackets for those that are open, the innermost last. Strings are not recognised, so this is a guess.
    open: Vec<char>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Code").field("has_colours", &self.parsed.is_some()).finish()
    }
}

impl Code {
    /// An empty block in the language that the fence names.
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

    /// Adds complete lines, each with its line end.
    pub(super) fn push(&mut self, text: &str) -> Vec<Line<'static>> {
        if text.is_empty() {
            return Vec::new();
        }
        let styles = self.styles(text);
        lines(text, &styles)
    }

    /// An incomplete line, highlighted as far as it goes.
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

    /// The style of each byte of the added text; empty if there are none.
    fn styles(&mut self, text: &str) -> Vec<Style> {
        let styles = self.parsed.as_mut().and_then(|parsed| parsed.styles(text));
        if styles.is_none() {
            self.parsed = None;
        }
        styles.unwrap_or_default()
    }
}

impl Parsed {
    /// The style of each byte of the added text, or none when a limit is exceeded.
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

    /// Parses the added text: the source from `start` on. Open brackets are closed at its end for parsing: otherwise the
    /// beginning of a function would not be recognised as one.
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
        // An outer node precedes its inner nodes, and of several patterns for one node the last one counts.
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

/// The processor time of this thread so far.
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

/// The open brackets after a text, from those before it, or none when they nest too deep.
fn nested(mut open: Vec<char>, text: &str) -> Option<Vec<char>> {
    for char in text.chars() {
        match char {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            // A bracket that matches none is in a string, or the code is broken.
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

/// A line as spans of one style each; an empty line has one empty span.
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
