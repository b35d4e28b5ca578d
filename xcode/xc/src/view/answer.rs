//! The model's answer as it streams: Markdown, finished block by block, code line by line; the unfinished part is shown
//! meanwhile. Not here: how a block looks, which is in `markdown`.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use ratatui_core::text::Line;

use super::code::Code;
use super::markdown;
use crate::terminal::wrapped;

/// A streaming answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The unfinished text.
    rest: String,
    /// The open code block: its lines are finished one by one.
    fence: Option<Fence>,
    /// Whether something was finished, so that the next block is preceded by an empty line.
    has_begun: bool,
}

/// The line that opened a code block.
#[derive(Debug)]
struct Fence {
    sign: char,
    length: usize,
    indent: usize,
    code: Code,
}

impl Fence {
    /// The fence and the language, if the line is a fence.
    fn of(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let name = text.trim_start_matches(sign);
        let length = text.len() - name.len();
        let (indent, name) = (line.len() - text.len(), name.trim());
        Some((Self { sign, length, indent, code: Code::new(name) }, name))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        line.len() - line.trim_start_matches(' ').len() < 4
            && text.len() >= self.length
            && text.chars().all(|char| char == self.sign)
    }

    /// A line of the code, without the indent of the fence.
    fn unindented<'l>(&self, line: &'l str) -> &'l str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        &line[spaces.min(self.indent)..]
    }
}

impl Answer {
    /// Adds text, and returns the lines that it finishes.
    pub(crate) fn push(&mut self, delta: &str) -> Vec<Line<'static>> {
        self.rest.push_str(delta);
        let mut lines = Vec::new();
        // A line's meaning is known only when the line is complete.
        while let Some(end) = self.rest.rfind('\n') {
            let before = self.rest.len();
            if self.fence.is_some() {
                self.code_lines(&mut lines);
            } else {
                self.blocks(end + 1, &mut lines);
            }
            if self.rest.len() == before {
                break;
            }
        }
        lines
    }

    /// The last rows of the unfinished part, at most `most` of `columns` cells.
    pub(crate) fn tail(&mut self, columns: u16, most: u16) -> Vec<Line<'static>> {
        let lines = match &mut self.fence {
            Some(fence) if self.rest.is_empty() || fence.is_closed_by(&self.rest) => Vec::new(),
            Some(fence) => vec![fence.code.peek(fence.unindented(&self.rest))],
            None => markdown::unfinished(&self.rest),
        };
        let mut rows: Vec<Line<'static>> =
            lines.iter().flat_map(|line| wrapped(line, columns)).collect();
        rows.drain(..rows.len().saturating_sub(usize::from(most)));
        rows
    }

    /// Ends the answer, and returns the remaining lines.
    pub(crate) fn finish(&mut self) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if !self.rest.is_empty() && !self.rest.ends_with('\n') {
            lines = self.push("\n");
        }
        let rest = std::mem::take(&mut self.rest);
        if self.fence.take().is_none() {
            self.finished(&rest, &mut lines);
        }
        self.has_begun = false;
        lines
    }

    /// Takes all blocks but the last out of the text up to `end`; of the last one, the line that opens a code block.
    fn blocks(&mut self, end: usize, lines: &mut Vec<Line<'static>>) {
        let Some((start, is_fenced)) = last_block(&self.rest[..end]) else { return };
        if start > 0 {
            let done: String = self.rest.drain(..start).collect();
            self.finished(&done, lines);
        }
        if is_fenced {
            let length = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
            let opening: String = self.rest.drain(..length).collect();
            if let Some((fence, name)) = Fence::of(opening.trim_end()) {
                self.begin_block(lines);
                lines.extend(markdown::language(name));
                self.fence = Some(fence);
            }
        }
    }

    /// Takes the complete lines of the open code block.
    fn code_lines(&mut self, lines: &mut Vec<Line<'static>>) {
        let Some(fence) = &mut self.fence else { return };
        let (mut done, mut is_closed, mut code) = (0, false, String::new());
        for line in self.rest.split_inclusive('\n') {
            let Some(text) = line.strip_suffix('\n') else { break };
            done += line.len();
            is_closed = fence.is_closed_by(text.strip_suffix('\r').unwrap_or(text));
            if is_closed {
                break;
            }
            code.push_str(fence.unindented(line));
        }
        lines.extend(fence.code.push(&code));
        if is_closed {
            self.fence = None;
        }
        self.rest.drain(..done);
    }

    fn finished(&mut self, source: &str, lines: &mut Vec<Line<'static>>) {
        let block = markdown::lines(source);
        if !block.is_empty() {
            self.begin_block(lines);
            lines.extend(block);
        }
    }

    fn begin_block(&mut self, lines: &mut Vec<Line<'static>>) {
        if std::mem::replace(&mut self.has_begun, true) {
            lines.push(Line::default());
        }
    }
}

/// Where the last block of a text begins, and whether it is code between fences.
fn last_block(source: &str) -> Option<(usize, bool)> {
    let mut depth = 0_usize;
    let mut last = None;
    for (event, range) in Parser::new_ext(source, markdown::OPTIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let is_fenced = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)));
                    // From the line's start, so that the indent is included.
                    let start = source[..range.start].rfind('\n').map_or(0, |end| end + 1);
                    last = Some((start, is_fenced));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Rule if depth == 0 => last = Some((range.start, false)),
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests;
