//! The bodies of here-documents, read when the line that asks for them has ended.

use super::parser::Parser;
use super::{Fault, Part, Piece, Quoted, Word};

impl Parser<'_, '_> {
    /// Reads the bodies that are due; the position is at the beginning of a line.
    pub(super) fn here_documents(&mut self) -> Result<(), Fault> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut body = String::new();
            while self.at < self.text.len() {
                let rest = self.rest();
                let line = rest.split_inclusive('\n').next().unwrap_or_default();
                self.at += line.len();
                self.budget.steps(line.len())?;
                let bare = line.strip_suffix('\n').unwrap_or(line);
                let bare = if pending.strips_tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == pending.delimiter {
                    break;
                }
                // Within `$(...)` the delimiter may share its line with the closing bracket.
                let closes = bare.strip_prefix(pending.delimiter.as_str());
                if closes.is_some_and(|tail| !tail.is_empty() && tail.trim_start().starts_with(')'))
                {
                    self.at -= line.len() - line.find(')').unwrap_or_default();
                    break;
                }
                body.push_str(bare);
                if line.ends_with('\n') {
                    body.push('\n');
                }
            }
            let word = if pending.expands {
                self.inner_word(&body)?
            } else {
                let piece = Piece { part: Part::Text(body), quoted: Quoted::Yes };
                Word { pieces: vec![piece], span: start..self.at }
            };
            // A body is read once: each redirection has a cell of its own.
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    /// A text in which only `$`, backticks and backslashes mean something.
    fn inner_word(&mut self, body: &str) -> Result<Word, Fault> {
        let mut inner = Parser { text: body, at: 0, pending: Vec::new(), budget: self.budget };
        inner.budget.enter()?;
        let pieces = inner.expanding_text(None)?;
        inner.budget.leave();
        Ok(Word { pieces, span: self.at..self.at })
    }
}
