//! Earlier inputs: recalled one after the other, or searched. Absent: where they are kept between sessions.

use super::super::buffer::Buffer;

/// Earlier inputs, and where one is among them.
#[derive(Debug, Clone)]
pub(super) struct History {
    /// The oldest first.
    entries: Vec<String>,
    position: Position,
}

#[derive(Debug, Clone)]
enum Position {
    /// At what is being typed.
    Now,
    /// At an entry; what was being typed waits.
    At(usize, Buffer),
    /// What is looked for, and the entry where it was found last.
    Search(String, Option<usize>),
}

impl History {
    pub(super) const fn new(entries: Vec<String>) -> Self {
        Self { entries, position: Position::Now }
    }

    /// Adds an input, unless it is the last one again.
    pub(super) fn push(&mut self, text: &str) {
        if self.entries.last().is_none_or(|last| last != text) {
            self.entries.push(text.to_owned());
        }
        self.position = Position::Now;
    }

    /// Back to what is being typed.
    pub(super) fn leave(&mut self) {
        self.position = Position::Now;
    }

    /// The entry before; `typed` is kept for the way back.
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

    /// The entry after, at last what was being typed.
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

    /// More is looked for; false where there is no search.
    pub(super) fn search_more(&mut self, text: &str) -> bool {
        let Position::Search(query, _) = &mut self.position else { return false };
        query.push_str(&text.replace(['\r', '\n'], " "));
        self.find_from(self.entries.len());
        true
    }

    /// Less is looked for.
    pub(super) fn search_less(&mut self) {
        if let Position::Search(query, _) = &mut self.position {
            query.pop();
            self.find_from(self.entries.len());
        }
    }

    /// The next older entry with it.
    pub(super) fn search_older(&mut self) {
        if let Position::Search(_, Some(at)) = self.position {
            self.find_from(at);
        }
    }

    /// What was found.
    pub(super) fn found(&self) -> Option<String> {
        match &self.position {
            Position::Search(_, Some(at)) => self.entries.get(*at).cloned(),
            Position::Now | Position::At(..) | Position::Search(..) => None,
        }
    }

    /// What is looked for and what was found, where there is a search.
    pub(super) fn shown(&self) -> Option<(String, String)> {
        let Position::Search(query, _) = &self.position else { return None };
        Some((query.clone(), self.found().unwrap_or_default()))
    }

    /// Looks at the entries before `end`, the newest first; where none has it, what was found stays.
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
