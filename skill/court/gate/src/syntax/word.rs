//! Words: unquoted text, quotes and expansions, up to a blank or an operator.

use std::rc::Rc;

use super::parser::Parser;
use super::{Direction, Fault, Part, Piece, Quoted, Word};

impl Parser<'_, '_> {
    /// The word that stands here, if one does.
    pub(super) fn word(&mut self) -> Result<Option<Word>, Fault> {
        let start = self.at;
        let pieces = self.pieces(b"")?;
        if self.at == start {
            return Ok(None);
        }
        self.budget.node()?;
        Ok(Some(Word { pieces, span: start..self.at }))
    }

    /// The pieces of unquoted text, up to a blank, an operator or a byte of `stops`. Where there
    /// are stops, blanks and operators are text: that is how it is inside `${name:-...}`.
    pub(super) fn pieces(&mut self, stops: &[u8]) -> Result<Vec<Piece>, Fault> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        while let Some(byte) = self.peek() {
            let operator = stops.is_empty() && b" \t\r\n;&|()".contains(&byte);
            if stops.contains(&byte) {
                break;
            }
            self.budget.steps(1)?;
            match byte {
                b'<' | b'>' if stops.is_empty() => {
                    if self.rest().as_bytes().get(1) != Some(&b'(') {
                        break;
                    }
                    flush(&mut text, &mut pieces);
                    let direction = if byte == b'<' { Direction::From } else { Direction::To };
                    pieces.push(self.process_substitution(direction)?);
                }
                b'(' if text.ends_with(['?', '*', '+', '@', '!']) && stops.is_empty() => {
                    self.extended_glob(&mut text)?;
                }
                _ if operator => break,
                b'\\' => {
                    self.at += 1;
                    match self.rest().chars().next() {
                        Some('\n') => self.at += 1,
                        Some(character) => {
                            flush(&mut text, &mut pieces);
                            self.at += character.len_utf8();
                            let escaped = Part::Text(character.to_string());
                            pieces.push(piece(escaped, Quoted::Yes));
                        }
                        None => text.push('\\'),
                    }
                }
                b'\'' => {
                    flush(&mut text, &mut pieces);
                    let inside = self.single_quoted()?;
                    pieces.push(piece(Part::Text(inside), Quoted::Yes));
                }
                b'"' => {
                    flush(&mut text, &mut pieces);
                    self.double_quoted(&mut pieces)?;
                }
                b'$' | b'`' => {
                    flush(&mut text, &mut pieces);
                    self.expansion(Quoted::No, &mut pieces, &mut text)?;
                }
                _ => self.character(&mut text),
            }
        }
        flush(&mut text, &mut pieces);
        Ok(pieces)
    }

    /// Takes the character that stands here.
    pub(super) fn character(&mut self, text: &mut String) {
        if let Some(character) = self.rest().chars().next() {
            text.push(character);
            self.at += character.len_utf8();
        }
    }

    /// `<(...)`, `>(...)`.
    fn process_substitution(&mut self, direction: Direction) -> Result<Piece, Fault> {
        self.at += 2;
        let script = self.script(&[])?;
        if !self.eat(")") {
            return self.fault("`<(` is not closed");
        }
        Ok(piece(Part::Process(Rc::new(script), direction), Quoted::No))
    }

    /// `@(a|b)` and its kin, kept as text.
    fn extended_glob(&mut self, text: &mut String) -> Result<(), Fault> {
        self.at += 1;
        let Some(length) = self.balanced(")") else {
            return self.fault("a bracket is not closed");
        };
        self.budget.steps(length)?;
        text.push('(');
        text.push_str(&self.rest()[..=length]);
        self.at += length + 1;
        Ok(())
    }
}

/// Moves collected text into a piece of its own.
pub(super) fn flush(text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(piece(Part::Text(std::mem::take(text)), Quoted::No));
    }
}

pub(super) fn piece(part: Part, quoted: Quoted) -> Piece {
    Piece { part, quoted }
}
