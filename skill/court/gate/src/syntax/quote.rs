//! Quotes and the things that `$` and backticks begin.

use std::rc::Rc;

use super::parser::{Parser, parse};
use super::word::piece;
use super::{Fault, Part, Piece, Quoted, Word};
use crate::limits::Budget;

/// Reads a text as if it stood between double quotes: its expansions count, nothing else.
pub(crate) fn quoted(text: &str, budget: &mut Budget) -> Result<Word, Fault> {
    budget.steps(text.len())?;
    let mut parser = Parser { text, at: 0, pending: Vec::new(), budget };
    let pieces = parser.expanding_text(None)?;
    Ok(Word { pieces, span: 0..text.len() })
}

impl Parser<'_, '_> {
    /// `'...'`; the position is at the opening quote.
    pub(super) fn single_quoted(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let Some(length) = self.rest().find('\'') else {
            return self.fault("a quote is not closed");
        };
        self.budget.steps(length)?;
        let inside = self.rest()[..length].to_owned();
        self.at += length + 1;
        Ok(inside)
    }

    /// `"..."`; the position is at the opening quote. An empty text stands for the quotes.
    pub(super) fn double_quoted(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        self.at += 1;
        self.budget.enter()?;
        pieces.push(piece(Part::Text(String::new()), Quoted::Yes));
        pieces.extend(self.expanding_text(Some(b'"'))?);
        self.budget.leave();
        Ok(())
    }

    /// Text in which `$`, backticks and backslashes count, up to `closer` or the end.
    pub(super) fn expanding_text(&mut self, closer: Option<u8>) -> Result<Vec<Piece>, Fault> {
        let (mut pieces, mut text) = (Vec::new(), String::new());
        loop {
            self.budget.steps(1)?;
            match self.peek() {
                None if closer.is_some() => return self.fault("a quote is not closed"),
                None => break,
                byte if closer.is_some() && byte == closer => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(b'$' | b'`' | b'\\') => self.character(&mut text),
                        byte if closer.is_some() && byte == closer => self.character(&mut text),
                        _ => text.push('\\'),
                    }
                }
                Some(b'$' | b'`') => {
                    quoted_flush(&mut text, &mut pieces);
                    self.expansion(Quoted::Yes, &mut pieces, &mut text)?;
                }
                Some(_) => self.character(&mut text),
            }
        }
        quoted_flush(&mut text, &mut pieces);
        Ok(pieces)
    }

    /// What `$` or a backtick begins. A `$` that begins nothing is added to `text`.
    pub(super) fn expansion(
        &mut self,
        quoted: Quoted,
        pieces: &mut Vec<Piece>,
        text: &mut String,
    ) -> Result<(), Fault> {
        self.budget.node()?;
        if self.peek() == Some(b'`') {
            let part = self.backticks()?;
            pieces.push(piece(part, quoted));
            return Ok(());
        }
        self.at += 1;
        let bytes = self.rest().as_bytes();
        match bytes.first() {
            Some(b'\'') if quoted == Quoted::No => {
                let inside = self.ansi_quoted()?;
                pieces.push(piece(Part::Text(inside), Quoted::Yes));
            }
            Some(b'"') if quoted == Quoted::No => self.double_quoted(pieces)?,
            Some(b'(') => {
                let part = self.dollar_bracket()?;
                pieces.push(piece(part, quoted));
            }
            Some(b'[') => {
                self.at += 1;
                let Some(length) = self.enclosed(b']')? else {
                    return self.fault("`$[` is not closed");
                };
                let word = self.arithmetic_text(length)?;
                self.at += 1;
                pieces.push(piece(Part::Arithmetic(word), quoted));
            }
            Some(b'{') => {
                self.budget.enter()?;
                let parameter = self.braced_parameter()?;
                self.budget.leave();
                pieces.push(piece(Part::Parameter(Box::new(parameter)), quoted));
            }
            _ => match self.plain_parameter() {
                Some(parameter) => {
                    pieces.push(piece(Part::Parameter(Box::new(parameter)), quoted));
                }
                None => text.push('$'),
            },
        }
        Ok(())
    }

    /// `$((...))` or `$(...)`; the position is at the first bracket.
    fn dollar_bracket(&mut self) -> Result<Part, Fault> {
        let start = self.at;
        if self.looking_at("((") {
            self.at += 2;
            if let Some(length) = self.balanced("))") {
                let word = self.arithmetic_text(length)?;
                self.at += 2;
                return Ok(Part::Arithmetic(word));
            }
            self.at = start;
        }
        self.at += 1;
        let script = self.script(&[])?;
        if !self.eat(")") {
            return self.fault("`$(` is not closed");
        }
        Ok(Part::Command(Rc::new(script)))
    }

    fn backticks(&mut self) -> Result<Part, Fault> {
        self.at += 1;
        let mut inside = String::new();
        loop {
            self.budget.steps(1)?;
            match self.peek() {
                None => return self.fault("a backtick is not closed"),
                Some(b'`') => break,
                Some(b'\\') => {
                    self.at += 1;
                    if !matches!(self.peek(), Some(b'`' | b'\\' | b'$')) {
                        inside.push('\\');
                    }
                    self.character(&mut inside);
                }
                Some(_) => self.character(&mut inside),
            }
        }
        self.at += 1;
        self.budget.enter()?;
        let script = parse(&inside, self.budget)?;
        self.budget.leave();
        Ok(Part::Command(Rc::new(script)))
    }

    /// `$'...'`; the position is at the quote.
    fn ansi_quoted(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let ends = byte == b'\'' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let Some(length) = end else {
            return self.fault("a quote is not closed");
        };
        self.budget.steps(length)?;
        self.at += length + 1;
        Ok(crate::escape::ansi(&rest[..length]))
    }
}

fn quoted_flush(text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(piece(Part::Text(std::mem::take(text)), Quoted::Yes));
    }
}
