//! `$name` and `${...}`.

use super::parser::Parser;
use super::{Fault, Indirect, Operation, Parameter, Word};

/// Parameters of one character.
const SPECIAL: &[u8] = b"@*#?-$!";

impl Parser<'_, '_> {
    /// `$name`, `$1`, `$@`; the position is behind the dollar sign.
    pub(super) fn plain_parameter(&mut self) -> Option<Parameter> {
        let length = match self.peek()? {
            byte if byte.is_ascii_digit() || SPECIAL.contains(&byte) => 1,
            _ => self.name_length(),
        };
        if length == 0 {
            return None;
        }
        let name = self.rest()[..length].to_owned();
        self.at += length;
        Some(Parameter { name, index: None, indirect: Indirect::No, operation: Operation::None })
    }

    fn name_length(&self) -> usize {
        let bytes = self.rest().bytes();
        let length = bytes.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) { 0 } else { length }
    }

    /// `${...}`; the position is at the bracket.
    pub(super) fn braced_parameter(&mut self) -> Result<Parameter, Fault> {
        self.at += 1;
        let mut indirect = Indirect::No;
        let second = self.rest().as_bytes().get(1).copied();
        if self.peek() == Some(b'#') && !matches!(second, None | Some(b'}' | b'#' | b'%' | b':')) {
            indirect = Indirect::Length;
            self.at += 1;
        } else if self.peek() == Some(b'!') && second != Some(b'}') {
            indirect = Indirect::Yes;
            self.at += 1;
        }
        let mut length = match self.peek() {
            Some(byte) if byte.is_ascii_digit() => {
                self.rest().bytes().take_while(u8::is_ascii_digit).count()
            }
            _ => self.name_length(),
        };
        if length == 0 && self.peek().is_some_and(|byte| SPECIAL.contains(&byte)) {
            length = 1;
        }
        if length == 0 {
            return self.fault("a parameter has no name");
        }
        let name = self.rest()[..length].to_owned();
        self.at += length;
        let index = self.index()?;
        let operation = self.operation()?;
        if !self.eat("}") {
            return self.fault("`${` is not closed");
        }
        Ok(Parameter { name, index, indirect, operation })
    }

    fn index(&mut self) -> Result<Option<String>, Fault> {
        if !self.looking_at("[") {
            return Ok(None);
        }
        self.at += 1;
        let Some(length) = self.enclosed(b']')? else {
            return self.fault("an index is not closed");
        };
        let index = self.rest()[..length].to_owned();
        self.at += length + 1;
        Ok(Some(index))
    }

    fn operation(&mut self) -> Result<Operation, Fault> {
        let rest = self.rest();
        let takes = |parser: &mut Self, length: usize| -> Result<Word, Fault> {
            parser.at += length;
            parser.operand(b"}")
        };
        let colon = usize::from(rest.starts_with(':'));
        let operation = match rest.as_bytes().get(colon) {
            Some(b'-') => Operation::Default(takes(self, colon + 1)?),
            Some(b'=') => Operation::Assign(takes(self, colon + 1)?),
            Some(b'+') => Operation::Alternative(takes(self, colon + 1)?),
            Some(b'?') => Operation::Required(takes(self, colon + 1)?),
            _ if colon == 1 => self.slice()?,
            Some(b'#') => Operation::StripPrefix(takes(self, run(rest, b'#'))?),
            Some(b'%') => Operation::StripSuffix(takes(self, run(rest, b'%'))?),
            Some(b'/') => self.replacement()?,
            Some(b'^') => Operation::Upper(takes(self, run(rest, b'^'))?),
            Some(b',') => Operation::Lower(takes(self, run(rest, b','))?),
            Some(b'}') => Operation::None,
            _ => {
                let letter = rest.strip_prefix('@').and_then(|rest| rest.chars().next());
                takes(self, 0)?;
                Operation::Transform(letter.unwrap_or_default())
            }
        };
        Ok(operation)
    }

    /// `:from:length`.
    fn slice(&mut self) -> Result<Operation, Fault> {
        self.at += 1;
        let Some(length) = self.enclosed(b'}')? else {
            return self.fault("`${` is not closed");
        };
        let slice = self.rest()[..length].to_owned();
        self.at += length;
        Ok(Operation::Slice(slice))
    }

    /// `/pattern/with`, `//pattern/with`.
    fn replacement(&mut self) -> Result<Operation, Fault> {
        let all = self.rest().starts_with("//");
        self.at += if all { 2 } else { 1 };
        let pattern = self.operand(b"/}")?;
        let with = if self.eat("/") { self.operand(b"}")? } else { Word::default() };
        Ok(Operation::Replace { all, pattern, with })
    }

    /// How far it is to `closer` outside of quotes and inner brackets, or else to the next one.
    pub(super) fn enclosed(&mut self, closer: u8) -> Result<Option<usize>, Fault> {
        let rest = self.rest().as_bytes();
        let (mut depth, mut quote, mut at) = (0_usize, None, 0);
        while let Some(byte) = rest.get(at).copied() {
            match quote {
                Some(b'"') if byte == b'\\' => at += 1,
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None if depth == 0 && byte == closer => break,
                None => match byte {
                    b'\\' => at += 1,
                    b'\'' | b'"' => quote = Some(byte),
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                },
            }
            at += 1;
        }
        self.budget.steps(at)?;
        let closed = rest.get(at) == Some(&closer);
        Ok(if closed { Some(at) } else { rest.iter().position(|byte| *byte == closer) })
    }

    fn operand(&mut self, stops: &[u8]) -> Result<Word, Fault> {
        let start = self.at;
        self.budget.node()?;
        let pieces = self.pieces(stops)?;
        Ok(Word { pieces, span: start..self.at })
    }
}

/// How often `byte` stands at the beginning, at most twice.
fn run(text: &str, byte: u8) -> usize {
    text.bytes().take(2).take_while(|other| *other == byte).count()
}
