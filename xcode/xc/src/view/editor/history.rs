//! Earlier inputs: recalled one after the other, or searched. Not here: storing them between sessions.

use super::super::buffer::Buffer;

/// Earlier inputs, and the present position in them.
#[derive(Debug, Clone)]
pub(super) struct History {
    /// The oldest first.
    entries: Vec<String>,
    position: Position,
}

#[derive(Debug, Clone)]
enum Position {
    /// At the text being typed.
    Now,
    /// At an entry; the text that was being typed is kept.
    At(usize, Buffer),
    /// A search: the query, and the entry of the last match.
    Search(String, Option<usize>),
}

impl History {
    pub(super) const fn new(entries: Vec<String>) -> Self {
        Self { entries, position: Position::Now }
    }

    /// Adds an input, unless it equals the last one.
    pub(super) fn push(&mut self, text: &str) {
        if self.entries.last().is_none_or(|last| last != text) {
            self.entries.push(text.to_owned());
        }
        self.position = Position::Now;
    }

    /// Returns to the text being typed.
    pub(super) fn leave(&mut self) {
        self.position = Position::Now;
    }

    /// The previous entry; `typed` is kept for the way back.
    pub(super) fn older(&mut self, typed: &Buffer) -> Option<Buffer> {
        let (at, typed) = match &self.position {
            Position::At(at, typed) => (at.checked_sub(1)?, typed.clone()),
            Position::Now | Position::Search(..) => {
                (self.entries.len().checked_sub(1)?, typed.clone())
            }
        };
        self.position = Position::At(at, typed);
        self.entries.get(at).map(|entry| Buffer::of(entry))
    }

    /// The next entry, at last the text that was being typed.
    pub(super) fn newer(&mut self) -> Option<Buffer> {
        let Position::At(at, typed) = &mut self.position else { return None };
        *at += 1;
        if let Some(entry) = self.entries.get(*at) {
            return Some(Buffer::of(entry));
        }
        let typed = std::mem::take(typed);
        self.position = Position::Now;
        Some(typed)
    }

    /// Begins a search.
    pub(super) fn search(&mut self) {
        self.position = Position::Search(String::new(), None);
    }

    pub(super) const fn is_searching(&self) -> bool {
        matches!(self.position, Position::Search(..))
    }

    /// Adds to the query; returns `false` if there is no search.
    pub(super) fn search_more(&mut self, text: &str) -> bool {
        let Position::Search(query, _) = &mut self.position else { return false };
        query.push_str(&text.replace(['\r', '\n'], " "));
        self.find_from(self.entries.len());
        true
    }

    /// Removes the query's last character.
    pub(super) fn search_less(&mut self) {
        if let Position::Search(query, _) = &mut self.position {
            query.pop();
            self.find_from(self.entries.len());
        }
    }

    /// Goes to the next older match.
    pub(super) fn search_older(&mut self) {
        if let Position::Search(_, Some(at)) = self.position {
            self.find_from(at);
        }
    }

    /// The match.
    pub(super) fn found(&self) -> Option<String> {
        match &self.position {
            Position::Search(_, Some(at)) => self.entries.get(*at).cloned(),
            Position::Now | Position::At(..) | Position::Search(..) => None,
        }
    }

    /// The query and the match, if there is a search.
    pub(super) fn shown(&self) -> Option<(String, String)> {
        let Position::Search(query, _) = &self.position else { return None };
        Some((query.clone(), self.found().unwrap_or_default()))
    }

    /// Searches the entries before `end`, the newest first; without a match, the last one stays.
    fn find_from(&mut self, end: usize) {
        let Self { entries, position: Position::Search(query, found) } = self else { return };
        let query = query.to_lowercase();
        if query.is_empty() {
            *found = None;
            return;
        }
        let has = |entry: &String| entry.to_lowercase().contains(&query);
        let at = entries[..end.min(entries.len())].iter().rposition(has);
        if at.is_some() || end == entries.len() {
            *found = at;
        }
    }
}
