//! Lists, pipelines and simple commands. Not here: compounds (`compound`), words (`word`).

use std::cell::OnceCell;
use std::rc::Rc;

use super::{
    Assigned, Assignment, Command, Fault, Item, Join, Kind, Pace, Pipeline, Script, Simple, Word,
};
use crate::limits::{BYTES_MAX, Budget, Limit};

/// Reads a whole text as a script.
pub(crate) fn parse(text: &str, budget: &mut Budget) -> Result<Script, Fault> {
    if text.len() > BYTES_MAX {
        return Err(Limit::Bytes.into());
    }
    budget.steps(text.len())?;
    let mut parser = Parser { text, at: 0, pending: Vec::new(), budget };
    let script = parser.script(&[])?;
    parser.here_documents()?;
    if parser.at < text.len() {
        return parser.fault("a command was expected");
    }
    Ok(script)
}

/// A here-document whose body has not been reached.
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) expands: bool,
    pub(super) strips_tabs: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

pub(super) struct Parser<'a, 'b> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) pending: Vec<Pending>,
    pub(super) budget: &'b mut Budget,
}

/// Words that end a list when they stand where a command would.
const CLOSERS: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];

/// Commands whose arguments may be assignments, arrays too.
const DECLARERS: &[&str] = &["declare", "typeset", "export", "local", "readonly"];

impl<'a> Parser<'a, '_> {
    pub(super) fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault::Syntax { at: self.at, what })
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn looking_at(&self, what: &str) -> bool {
        self.rest().starts_with(what)
    }

    pub(super) fn eat(&mut self, what: &str) -> bool {
        let found = self.looking_at(what);
        if found {
            self.at += what.len();
        }
        found
    }

    /// Skips blanks, continued lines and a comment; not line ends.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.looking_at("\\\n") => self.at += 2,
                Some(b'#') if self.at_word_start() => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                _ => return,
            }
        }
    }

    fn at_word_start(&self) -> bool {
        let before = self.at.checked_sub(1).map(|index| self.text.as_bytes()[index]);
        before.is_none_or(|byte| b" \t\r\n;&|()".contains(&byte))
    }

    /// Skips blanks and line ends, reading the here-documents that begin after them.
    pub(super) fn newlines(&mut self) -> Result<(), Fault> {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.here_documents()?;
        }
    }

    /// The word of plain letters that stands here, if it ends where a word ends.
    pub(super) fn keyword(&self) -> &'a str {
        let rest = self.rest();
        let length = rest
            .bytes()
            .take(9)
            .take_while(|byte| byte.is_ascii_alphabetic() || b"{}!".contains(byte))
            .count();
        let ends = rest.as_bytes().get(length).is_none_or(|byte| b" \t\r\n;&|()<>".contains(byte));
        if ends || rest[length..].starts_with("\\\n") { &rest[..length] } else { "" }
    }

    /// A list, up to a word of `closers`, a `)`, a `;;`, or the end.
    pub(super) fn script(&mut self, closers: &[&str]) -> Result<Script, Fault> {
        self.budget.enter()?;
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            match self.peek() {
                None | Some(b')') => break,
                Some(b';') if [";;", ";&"].iter().any(|end| self.looking_at(end)) => break,
                _ => {}
            }
            let keyword = self.keyword();
            if closers.contains(&keyword) {
                break;
            }
            if CLOSERS.contains(&keyword) {
                return self.fault("a reserved word stands where a command was expected");
            }
            items.push(self.item()?);
        }
        self.budget.leave();
        Ok(Script { items })
    }

    fn item(&mut self) -> Result<Item, Fault> {
        let mut pipelines = vec![self.pipeline(Join::First)?];
        loop {
            self.blanks();
            let join = match self.rest().as_bytes() {
                [b'&', b'&', ..] => Join::And,
                [b'|', b'|', ..] => Join::Or,
                _ => break,
            };
            self.at += 2;
            self.newlines()?;
            pipelines.push(self.pipeline(join)?);
        }
        let mut pace = Pace::Waits;
        match self.rest().as_bytes() {
            [] | [b'\n' | b')', ..] | [b';', b';' | b'&', ..] => {}
            [end @ (b';' | b'&'), ..] => {
                if *end == b'&' {
                    pace = Pace::Background;
                }
                self.at += 1;
            }
            _ => return self.fault("the end of a command was expected"),
        }
        Ok(Item { pipelines, pace })
    }

    fn pipeline(&mut self, join: Join) -> Result<Pipeline, Fault> {
        loop {
            self.blanks();
            match self.keyword() {
                "!" => self.at += 1,
                "time" => {
                    self.at += 4;
                    self.blanks();
                    for option in ["-p", "--"] {
                        let after = self.rest().as_bytes().get(2);
                        let alone = after.is_none_or(|byte| b" \t\n;".contains(byte));
                        if self.looking_at(option) && alone {
                            self.at += 2;
                            self.blanks();
                        }
                    }
                }
                _ => break,
            }
            self.budget.node()?;
            // `time` and `!` may stand alone.
            self.blanks();
            if matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
                return Ok(Pipeline { join, commands: Vec::new() });
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            if self.looking_at("||") || !self.eat("|") {
                return Ok(Pipeline { join, commands });
            }
            self.eat("&");
            self.newlines()?;
            if self.looking_at("! ") {
                return self.fault("`!` stands within a pipeline");
            }
            commands.push(self.command()?);
        }
    }

    pub(super) fn command(&mut self) -> Result<Command, Fault> {
        self.budget.node()?;
        self.blanks();
        let start = self.at;
        if let Some(kind) = self.compound()? {
            let mut redirects = Vec::new();
            loop {
                self.blanks();
                match self.redirect()? {
                    Some(redirect) => redirects.push(redirect),
                    None => return Ok(Command { kind, redirects, span: start..self.at }),
                }
            }
        }
        self.simple(start)
    }

    fn simple(&mut self, start: usize) -> Result<Command, Fault> {
        let (mut simple, mut redirects) = (Simple::default(), Vec::new());
        let mut declares = false;
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if (simple.words.is_empty() || declares)
                && let Some(assignment) = self.assignment(declares)?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let word_at = self.at;
            let Some(word) = self.word()? else { break };
            let plain = &self.text[word_at..self.at];
            if simple.words.is_empty() {
                declares = DECLARERS.contains(&plain);
                if self.function_parentheses() {
                    return self.function(plain.to_owned(), start);
                }
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return self.fault("a command was expected");
        }
        let end = self.text[..self.at].trim_end().len().max(start);
        Ok(Command { kind: Kind::Simple(simple), redirects, span: start..end })
    }

    /// `()` after a name makes it a function.
    pub(super) fn function_parentheses(&mut self) -> bool {
        let before = self.at;
        self.blanks();
        if self.eat("(") {
            self.blanks();
            if self.eat(")") {
                return true;
            }
        }
        self.at = before;
        false
    }

    /// `name=`, `name+=`, `name[..]=` or, for `declares`, only those with an array.
    fn assignment(&mut self, declares: bool) -> Result<Option<Assignment>, Fault> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut length =
            bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if length == 0 || bytes[0].is_ascii_digit() {
            return Ok(None);
        }
        let name = rest[..length].to_owned();
        let mut index = None;
        if bytes.get(length) == Some(&b'[') {
            let line = rest.split('\n').next().unwrap_or_default();
            let Some(close) = line[length..].find("]=").or_else(|| line[length..].find("]+="))
            else {
                return Ok(None);
            };
            if line[length..length + close].contains([' ', '\t', ';', '|', '&']) {
                return Ok(None);
            }
            index = Some(line[length + 1..length + close].to_owned());
            length += close + 1;
        }
        let append = bytes.get(length) == Some(&b'+');
        length += usize::from(append);
        if bytes.get(length) != Some(&b'=') {
            return Ok(None);
        }
        length += 1;
        let array = bytes.get(length) == Some(&b'(');
        if declares && !array {
            return Ok(None);
        }
        self.budget.node()?;
        self.at += length;
        let value = if array {
            self.at += 1;
            Assigned::Array(self.array()?)
        } else {
            let word = self.word()?.unwrap_or_default();
            match index {
                Some(index) => Assigned::Element { index, value: word },
                None => Assigned::Scalar(word),
            }
        };
        Ok(Some(Assignment { name, append, value }))
    }

    /// The words of an array, up to its `)`.
    fn array(&mut self) -> Result<Vec<Word>, Fault> {
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.eat(")") {
                return Ok(words);
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => return self.fault("a `)` was expected"),
            }
        }
    }
}
