//! Renders Markdown as logical lines: a paragraph is one line, and code is unchanged, so that a copy equals the source. Not here:
//! where a streaming answer is split, which is in `answer`.

mod table;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ratatui_core::style::{Style, Stylize as _};
use ratatui_core::text::{Line, Span};
use unicode_width::UnicodeWidthChar as _;

use super::code::Code;
use table::Table;

/// The enabled extensions of CommonMark.
pub(super) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// The style of the model's text.
const TEXT: Style = Style::new().green();

/// The line above code: its language.
pub(super) fn language(name: &str) -> Option<Line<'static>> {
    (!name.is_empty()).then(|| Line::from(format!("[{name}]")).dim())
}

/// The lines of complete blocks, with an empty line between two.
pub(super) fn lines(source: &str) -> Vec<Line<'static>> {
    written(source, Writer { has_colours: true, ..Writer::default() })
}

/// Like [`lines`], with code that is not highlighted: unfinished text is rendered again and again.
pub(super) fn unfinished(source: &str) -> Vec<Line<'static>> {
    written(source, Writer::default())
}

fn written(source: &str, mut writer: Writer) -> Vec<Line<'static>> {
    Parser::new_ext(source, OPTIONS).for_each(|event| writer.event(event));
    writer.end_line();
    writer.lines
}

#[derive(Default)]
struct Writer {
    lines: Vec<Line<'static>>,
    /// The current line.
    spans: Vec<Span<'static>>,
    /// The outermost first.
    containers: Vec<Container>,
    /// The next item's number for each open list; none for bullets.
    lists: Vec<Option<u64>>,
    styles: Vec<Style>,
    /// The addresses of open links and images, with the length of the text before them.
    links: Vec<(String, usize)>,
    table: Option<Table>,
    /// Whether an empty line is due before the next block.
    needs_gap: bool,
    /// Whether the source's line has ended within a paragraph.
    is_broken: bool,
    has_colours: bool,
    /// The open code block, with its text.
    code: Option<(Code, String)>,
}

/// A list item or a quote, with the prefixes of its lines.
struct Container {
    /// The first line's prefix, until that line is written.
    first: Option<String>,
    /// The prefix of the other lines.
    rest: String,
    is_quote: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(text) => self.text(&text, self.style().cyan()),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::InlineHtml(text) => {
                self.text(&text, self.style());
            }
            Event::Html(text) => {
                self.text(text.trim_end_matches('\n'), self.style());
                self.end_line();
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]"), self.style()),
            Event::TaskListMarker(is_done) => {
                self.text(if is_done { "[x] " } else { "[ ] " }, self.style());
            }
            Event::SoftBreak => self.is_broken = true,
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.begin_block();
                self.text("───", Style::new().dim());
                self.end_block();
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.begin_block();
                self.styles.push(self.style().bold().underlined());
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.contain(None, "│ ".to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let name = match kind {
                    CodeBlockKind::Fenced(name) => name,
                    CodeBlockKind::Indented => "".into(),
                };
                if let Some(line) = language(&name) {
                    self.spans.extend(line.spans);
                    self.end_line();
                }
                let code = if self.has_colours { Code::new(&name) } else { Code::default() };
                self.code = Some((code, String::new()));
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.begin_block();
                } else {
                    self.end_line();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    Some(None) | None => "- ".to_owned(),
                };
                let rest = " ".repeat(mark.len());
                self.contain(Some(mark), rest);
            }
            Tag::Table(_) => {
                self.begin_block();
                self.table = Some(Table::default());
            }
            Tag::Emphasis => self.styles.push(self.style().italic()),
            Tag::Strong => self.styles.push(self.style().bold()),
            Tag::Strikethrough => self.styles.push(self.style().crossed_out()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.spans.len()));
            }
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {}
            // Elements of extensions that are not enabled never begin.
            _ => self.begin_block(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.containers.pop();
                self.needs_gap = true;
            }
            TagEnd::CodeBlock => {
                if let Some((mut code, text)) = self.code.take() {
                    for line in code.push(&text) {
                        self.spans = line.spans;
                        self.end_line();
                    }
                }
                self.end_block();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.needs_gap |= self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end_line();
                if let Some(Container { first: Some(mark), .. }) = self.containers.pop() {
                    // The item is empty.
                    self.spans.push(Span::styled(mark, TEXT));
                    self.end_line();
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                self.table.iter_mut().for_each(|table| table.cell(cell.clone()));
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.table.iter_mut().for_each(Table::end_row);
            }
            TagEnd::Table => {
                for row in self.table.take().map(Table::lines).unwrap_or_default() {
                    self.spans = row;
                    self.end_line();
                }
                self.needs_gap = true;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => self.end_block(),
        }
    }

    /// Appends a link's address to its text, unless they are the same.
    fn end_link(&mut self) {
        let Some((url, before)) = self.links.pop() else { return };
        let text: String =
            self.spans.iter().skip(before).map(|span| span.content.as_ref()).collect();
        if !url.is_empty() && url.trim_start_matches("mailto:") != text.trim() {
            self.text(&format!(" ({url})"), Style::new().dim());
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(TEXT)
    }

    fn text(&mut self, text: &str, style: Style) {
        if std::mem::take(&mut self.is_broken) {
            let before = self.spans.last().and_then(|span| span.content.chars().next_back());
            let is_wide = |char: Option<char>| char.and_then(|char| char.width()) == Some(2);
            // Chinese and Japanese have no spaces between words.
            if !(is_wide(before) && is_wide(text.chars().next())) {
                self.spans.push(Span::styled(" ", style));
            }
        }
        self.spans.push(Span::styled(text.to_owned(), style));
    }

    fn contain(&mut self, first: Option<String>, rest: String) {
        let is_quote = first.is_none();
        self.containers.push(Container { first, rest, is_quote });
    }

    fn begin_block(&mut self) {
        self.end_line();
        if std::mem::take(&mut self.needs_gap) {
            let quotes = self.containers.iter().filter(|container| container.is_quote);
            let bars: String = quotes.map(|container| container.rest.as_str()).collect();
            self.lines.push(Line::from(bars.trim_end().to_owned()).dim());
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.needs_gap = true;
    }

    /// Ends the current line, if there is one.
    fn end_line(&mut self) {
        self.is_broken = false;
        if self.spans.is_empty() {
            return;
        }
        let mut line = Line::default();
        for container in &mut self.containers {
            let style = if container.is_quote { Style::new().dim() } else { TEXT };
            let mark = container.first.take().unwrap_or_else(|| container.rest.clone());
            line.push_span(Span::styled(mark, style));
        }
        line.extend(std::mem::take(&mut self.spans));
        self.lines.push(line);
    }
}
