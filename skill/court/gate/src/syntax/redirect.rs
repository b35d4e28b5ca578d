//! Redirections. Not here: what they do to a file.

use std::cell::OnceCell;
use std::rc::Rc;

use super::parser::{Parser, Pending};
use super::{Fault, Redirect, RedirectKind};

impl Parser<'_, '_> {
    /// The redirection that stands here, if one does.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Fault> {
        let start = self.at;
        let fd = self.descriptor();
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">", "&>>", "&>"];
        let process = self.looking_at("<(") || self.looking_at(">(");
        let operator = operators.into_iter().find(|operator| self.looking_at(operator));
        let Some(operator) = operator.filter(|_| !process) else {
            self.at = start;
            return Ok(None);
        };
        if operator.starts_with('&') && self.at != start {
            self.at = start;
            return Ok(None);
        }
        self.at += operator.len();
        self.budget.node()?;
        self.blanks();
        if matches!(operator, "<<" | "<<-") {
            return self.here_document(fd, operator == "<<-").map(Some);
        }
        let Some(word) = self.word()? else {
            return self.fault("a redirection has no target");
        };
        let kind = match operator {
            "<<<" => RedirectKind::HereString(word),
            "<" => RedirectKind::Read(word),
            "<>" => RedirectKind::ReadWrite(word),
            ">>" | "&>>" => RedirectKind::Append(word),
            ">" | ">|" | "&>" => RedirectKind::Write(word),
            _ => {
                let target = &self.text[word.span.clone()];
                let number = target.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                // `>& file` writes both streams; `2>&1` and `<&-` only rewire.
                if operator == ">&" && !number && !target.starts_with('$') {
                    RedirectKind::Write(word)
                } else {
                    RedirectKind::Duplicate(word)
                }
            }
        };
        Ok(Some(Redirect { fd, kind }))
    }

    /// `2` of `2>` or `{name}` of `{name}>`; the position moves behind it.
    fn descriptor(&mut self) -> Option<u32> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && rest[digits..].starts_with(['<', '>']) {
            self.at += digits;
            return rest[..digits].parse().ok();
        }
        if let Some(name) = rest.strip_prefix('{') {
            let length =
                name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            let mut length = length.count();
            // An element of an array: what its subscript executes is expanded where it stands.
            if name[length..].starts_with('[') {
                let index = name[length..]
                    .bytes()
                    .take_while(|byte| byte.is_ascii_digit() || b"[]".contains(byte));
                length += index.count();
            }
            if name[length..].starts_with("}<") || name[length..].starts_with("}>") {
                self.at += length + 2;
            }
        }
        None
    }

    fn here_document(&mut self, fd: Option<u32>, strips_tabs: bool) -> Result<Redirect, Fault> {
        let start = self.at;
        if self.word()?.is_none() {
            return self.fault("a here-document has no delimiter");
        }
        let written = &self.text[start..self.at];
        let expands = !written.contains(['\'', '"', '\\']);
        let delimiter: String = unquote(written);
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { delimiter, expands, strips_tabs, body: body.clone() });
        Ok(Redirect { fd, kind: RedirectKind::Heredoc(body) })
    }
}

/// A delimiter without its quotes.
fn unquote(written: &str) -> String {
    let mut plain = String::new();
    let mut quote = None;
    let mut characters = written.trim_start_matches('$').chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None | Some('"'), '\\') => plain.extend(characters.next()),
            _ => plain.push(character),
        }
    }
    plain
}
