//! `if`, loops, `case`, groups, functions, tests and arithmetic commands.

use std::rc::Rc;

use super::parser::Parser;
use super::{Command, Fault, Kind, Script, Word};

impl Parser<'_, '_> {
    /// The compound command that stands here, if one does.
    pub(super) fn compound(&mut self) -> Result<Option<Kind>, Fault> {
        if self.looking_at("((")
            && let Some(kind) = self.arithmetic_command()?
        {
            return Ok(Some(kind));
        }
        if self.eat("!(") || self.eat("(") {
            let list = self.script(&[])?;
            self.close(")")?;
            return Ok(Some(Kind::Subshell(list)));
        }
        if self.looking_at("[[") && self.rest()[2..].starts_with([' ', '\t', '\n', '\\']) {
            return self.test().map(Some);
        }
        let keyword = self.keyword();
        let handled = ["{", "if", "while", "until", "for", "select", "case", "function", "coproc"];
        if !handled.contains(&keyword) {
            return Ok(None);
        }
        self.at += keyword.len();
        self.after_keyword(keyword).map(Some)
    }

    fn after_keyword(&mut self, keyword: &str) -> Result<Kind, Fault> {
        Ok(match keyword {
            "{" => {
                let list = self.script(&["}"])?;
                self.close("}")?;
                Kind::Group(list)
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                let condition = self.script(&["do"])?;
                Kind::Loop { condition, body: self.do_group()? }
            }
            "for" | "select" => self.each()?,
            "case" => self.case()?,
            "function" => {
                self.blanks();
                let start = self.at;
                if self.word()?.is_none() {
                    return self.fault("a function has no name");
                }
                let name = self.text[start..self.at].to_owned();
                self.function_parentheses();
                self.function(name, start)?.kind
            }
            _ => self.coprocess()?,
        })
    }

    fn close(&mut self, closer: &'static str) -> Result<(), Fault> {
        self.newlines()?;
        if self.eat(closer) { Ok(()) } else { self.fault("a closing word or bracket is missing") }
    }

    fn conditional(&mut self) -> Result<Kind, Fault> {
        let mut arms = Vec::new();
        loop {
            let condition = self.script(&["then"])?;
            self.close("then")?;
            let body = self.script(&["elif", "else", "fi"])?;
            arms.push((condition, body));
            if self.eat("elif") {
                continue;
            }
            let mut otherwise = None;
            if self.eat("else") {
                otherwise = Some(self.script(&["fi"])?);
            }
            self.close("fi")?;
            return Ok(Kind::If { arms, otherwise });
        }
    }

    /// `do ... done`, or `{ ... }`, which bash allows after `for`.
    fn do_group(&mut self) -> Result<Script, Fault> {
        self.newlines()?;
        if self.eat("{") {
            let body = self.script(&["}"])?;
            self.close("}")?;
            return Ok(body);
        }
        self.close("do")?;
        let body = self.script(&["done"])?;
        self.close("done")?;
        Ok(body)
    }

    fn each(&mut self) -> Result<Kind, Fault> {
        self.blanks();
        if self.looking_at("((") {
            self.at += 2;
            let Some(length) = self.balanced("))") else {
                return self.fault("`((` is not closed");
            };
            let header = self.arithmetic_text(length)?;
            self.at += 2;
            self.blanks();
            self.eat(";");
            return Ok(Kind::ArithmeticFor { header, body: self.do_group()? });
        }
        let start = self.at;
        if self.word()?.is_none() {
            return self.fault("a loop has no variable");
        }
        let name = self.text[start..self.at].to_owned();
        self.newlines()?;
        let mut words = None;
        if self.keyword() == "in" {
            self.at += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            words = Some(list);
        }
        self.blanks();
        self.eat(";");
        Ok(Kind::For { name, words, body: self.do_group()? })
    }

    fn case(&mut self) -> Result<Kind, Fault> {
        self.blanks();
        let Some(subject) = self.word()? else {
            return self.fault("`case` has no subject");
        };
        self.newlines()?;
        if self.keyword() != "in" {
            return self.fault("`in` was expected");
        }
        self.at += 2;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.keyword() == "esac" {
                self.at += 4;
                return Ok(Kind::Case { subject, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(word) => patterns.push(word),
                    None => return self.fault("a pattern was expected"),
                }
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.close(")")?;
            let body = self.script(&["esac"])?;
            arms.push((patterns, body));
            self.blanks();
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
        }
    }

    /// The body of a function; the position is behind its name and brackets.
    pub(super) fn function(&mut self, name: String, start: usize) -> Result<Command, Fault> {
        self.newlines()?;
        self.budget.enter()?;
        let at = self.at;
        let body = self.command()?;
        self.budget.leave();
        if matches!(body.kind, Kind::Simple(_)) {
            self.at = at;
            return self.fault("a function's body was expected");
        }
        let kind = Kind::Function { name, body: Rc::new(body) };
        Ok(Command { kind, redirects: Vec::new(), span: start..self.at })
    }

    fn coprocess(&mut self) -> Result<Kind, Fault> {
        self.budget.enter()?;
        self.blanks();
        // `coproc NAME compound`: the name only counts before a compound.
        let before = self.at;
        let name = self.keyword();
        let mut named = false;
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            self.at += name.len();
            self.blanks();
            named = self.looking_at("{ ") || self.looking_at("(");
        }
        if !named {
            self.at = before;
        }
        let command = self.command()?;
        self.budget.leave();
        Ok(Kind::Coprocess(Box::new(command)))
    }

    /// `[[ ... ]]`: its operators do nothing, its words may.
    fn test(&mut self) -> Result<Kind, Fault> {
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.looking_at("]]") {
                self.at += 2;
                return Ok(Kind::Test(words));
            }
            match self.word()? {
                Some(word) => words.push(word),
                None if self.peek().is_some() => self.at += 1,
                None => return self.fault("`[[` is not closed"),
            }
        }
    }

    /// `(( ... ))`, unless its brackets say that it is two subshells.
    fn arithmetic_command(&mut self) -> Result<Option<Kind>, Fault> {
        let start = self.at;
        self.at += 2;
        let Some(length) = self.balanced("))") else {
            self.at = start;
            return Ok(None);
        };
        self.budget.steps(length)?;
        let word = self.arithmetic_text(length)?;
        self.at += 2;
        Ok(Some(Kind::Arithmetic(word)))
    }

    /// How far it is to `closer` with all round brackets between balanced, if it comes.
    pub(super) fn balanced(&mut self, closer: &str) -> Option<usize> {
        let rest = self.rest().as_bytes();
        let mut depth = 0_usize;
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    return rest[index..].starts_with(closer.as_bytes()).then_some(index);
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The next `length` bytes, as arithmetic: expansions count, nothing else.
    pub(super) fn arithmetic_text(&mut self, length: usize) -> Result<Word, Fault> {
        let (start, end) = (self.at, self.at + length);
        self.budget.enter()?;
        self.budget.steps(length)?;
        let text = &self.text[start..end];
        let mut inner = Parser { text, at: 0, pending: Vec::new(), budget: self.budget };
        let pieces = inner.expanding_text(None)?;
        self.budget.leave();
        self.at = end;
        Ok(Word { pieces, span: start..end })
    }
}
