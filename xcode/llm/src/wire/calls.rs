//! Assembles the calls of one answer from pieces that providers number in different ways.

use crate::arguments::Arguments;
use crate::event::Event;
use crate::message::Opaque;

/// One piece of a call, as sent by a provider.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallPiece<'p> {
    /// The provider's number of the call, or its index in the list if it has none.
    pub(crate) slot: u64,
    /// The provider's id; empty counts as missing.
    pub(crate) id: &'p str,
    /// The tool; empty counts as missing.
    pub(crate) name: &'p str,
    /// More of the arguments.
    pub(crate) arguments: &'p str,
}

/// Assembles calls and holds them back until the answer has ended.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Prefix of generated ids; unique to the request.
    prefix: String,
    calls: Vec<OpenCall>,
}

#[derive(Debug, Default)]
struct OpenCall {
    slot: u64,
    /// The provider's id; empty if it gave none.
    told: String,
    name: String,
    text: String,
    opaque: Option<Opaque>,
    /// The id and index that were reported, once they were.
    begun: Option<(usize, String)>,
}

impl Calls {
    /// No calls yet. `prefix` is the prefix of generated ids.
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), calls: Vec::new() }
    }

    /// Adds a piece. It belongs to the last call of its slot, unless it evidently belongs to a new one:
    /// some providers give all calls of an answer the same number.
    pub(crate) fn piece(&mut self, piece: CallPiece<'_>, out: &mut Vec<Event>) {
        let last = self.calls.iter().rposition(|call| call.slot == piece.slot);
        let at = match last {
            Some(at) if !self.calls[at].is_before(piece) => at,
            _ => self.open(piece.slot),
        };
        let call = &mut self.calls[at];
        if call.told.is_empty() {
            piece.id.clone_into(&mut call.told);
        }
        if call.name.is_empty() {
            piece.name.clone_into(&mut call.name);
        }
        call.text.push_str(piece.arguments);
        self.tell(at, piece.arguments, out);
    }

    /// Adds a call that arrived in one piece.
    pub(crate) fn whole(
        &mut self,
        piece: CallPiece<'_>,
        opaque: Option<Opaque>,
        out: &mut Vec<Event>,
    ) {
        let at = self.open(piece.slot);
        self.calls[at].opaque = opaque;
        self.piece(piece, out);
    }

    /// Replaces the arguments of the last call of `slot` by the complete text that the provider repeats at
    /// its end.
    pub(crate) fn settle(&mut self, slot: u64, arguments: &str) {
        if let Some(call) = self.calls.iter_mut().rfind(|call| call.slot == slot) {
            arguments.clone_into(&mut call.text);
        }
    }

    /// Whether there is a call of `slot`.
    pub(crate) fn has(&self, slot: u64) -> bool {
        self.calls.iter().any(|call| call.slot == slot)
    }

    /// Reports every call as complete. To be called only after the answer has ended. A piece
    /// that never got a name is not a call.
    pub(crate) fn finish(&mut self, out: &mut Vec<Event>) {
        let calls = std::mem::take(&mut self.calls).into_iter();
        let mut ended: Vec<(usize, Event)> = calls
            .filter_map(|OpenCall { text, opaque, begun, .. }| {
                let (index, _) = begun?;
                let arguments = Arguments::read(&text);
                Some((index, Event::CallEnded { index, arguments, opaque }))
            })
            .collect();
        ended.sort_by_key(|&(index, _)| index);
        out.extend(ended.into_iter().map(|(_, event)| event));
    }

    fn open(&mut self, slot: u64) -> usize {
        self.calls.push(OpenCall { slot, ..OpenCall::default() });
        self.calls.len() - 1
    }

    /// Reports the call once its name is known, then each piece.
    fn tell(&mut self, at: usize, more: &str, out: &mut Vec<Event>) {
        let begun = self.calls.iter().filter(|call| call.begun.is_some()).count();
        let is_taken = |id: &str| {
            let ids = self.calls.iter().filter_map(|call| call.begun.as_ref());
            id.is_empty() || ids.into_iter().any(|(_, other)| other == id)
        };
        let call = &self.calls[at];
        if let Some((index, _)) = call.begun {
            if !more.is_empty() {
                out.push(Event::CallPart { index, text: more.to_owned() });
            }
            return;
        }
        if call.name.is_empty() {
            return;
        }
        let is_taken = is_taken(&call.told);
        let id = if is_taken { format!("{}_{begun}", self.prefix) } else { call.told.clone() };
        out.push(Event::CallBegun { index: begun, id: id.clone(), name: call.name.clone() });
        if !call.text.is_empty() {
            out.push(Event::CallPart { index: begun, text: call.text.clone() });
        }
        self.calls[at].begun = Some((begun, id));
    }
}

impl OpenCall {
    /// Whether the piece belongs to a later call of the same slot: it has another id, or no
    /// id, but a name and arguments while the arguments of this one are complete.
    fn is_before(&self, piece: CallPiece<'_>) -> bool {
        if piece.id.is_empty() {
            let is_whole = || serde_json::from_str::<serde::de::IgnoredAny>(&self.text).is_ok();
            return !piece.name.is_empty() && !piece.arguments.is_empty() && is_whole();
        }
        !self.told.is_empty() && self.told != piece.id
    }
}

#[cfg(test)]
mod tests {
    use super::{CallPiece, Calls};
    use crate::event::Event;

    /// The pieces, then the end: each call as `index id name arguments`.
    fn check(pieces: &[(u64, &str, &str, &str)], expected: &[&str]) {
        let (mut calls, mut out) = (Calls::new("made"), Vec::new());
        for &(slot, id, name, arguments) in pieces {
            calls.piece(CallPiece { slot, id, name, arguments }, &mut out);
        }
        calls.finish(&mut out);
        let mut told: Vec<String> = Vec::new();
        let mut ended = 0;
        for event in out {
            match event {
                Event::CallBegun { index, id, name } => {
                    assert_eq!(index, told.len());
                    told.push(format!("{id} {name} "));
                }
                Event::CallPart { index, text } => told[index].push_str(&text),
                Event::CallEnded { index, .. } => {
                    assert_eq!(index, ended);
                    ended += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(ended, told.len());
        assert_eq!(told, expected);
    }

    #[test]
    fn parallel_calls_are_told_apart_by_their_slot() {
        let pieces = [
            (0, "a", "read", ""),
            (1, "b", "grep", ""),
            (1, "", "", "{\"x\""),
            (0, "", "", "{}"),
            (1, "", "", ":1}"),
        ];
        check(&pieces, &["a read {}", "b grep {\"x\":1}"]);
    }

    /// docs/MODELS.md, Alibaba: each later piece has an empty id.
    #[test]
    fn qwen_an_empty_id_does_not_replace_the_first() {
        check(&[(0, "call_1", "read", "{"), (0, "", "", "}")], &["call_1 read {}"]);
    }

    /// docs/MODELS.md, hazard 5: no call has an id.
    #[test]
    fn hazard_5_missing_ids_are_made_and_unique() {
        check(
            &[(0, "", "read", "{}"), (1, "", "read", "{}")],
            &["made_0 read {}", "made_1 read {}"],
        );
        check(&[(0, "x", "read", "{}"), (1, "x", "read", "{}")], &["x read {}", "made_1 read {}"]);
    }

    /// docs/MODELS.md, Moonshot: pieces have no index, so that every lone piece has slot 0.
    #[test]
    fn kimi_calls_without_an_index_are_told_apart() {
        let with_ids = [(0, "a:0", "read", "{"), (0, "", "", "}"), (0, "b:1", "grep", "{}")];
        check(&with_ids, &["a:0 read {}", "b:1 grep {}"]);
        let without = [(0, "", "read", "{"), (0, "", "read", "}"), (0, "", "grep", "{}")];
        check(&without, &["made_0 read {}", "made_1 grep {}"]);
        check(&[(0, "", "read", "{}"), (0, "", "read", "")], &["made_0 read {}"]);
    }

    #[test]
    fn a_name_may_come_late_and_what_has_none_is_no_call() {
        let pieces =
            [(0, "a", "", "{"), (1, "b", "grep", "{}"), (0, "", "read", ""), (0, "", "", "}")];
        check(&pieces, &["b grep {}", "a read {}"]);
        check(&[(0, "a", "", "{}")], &[]);
    }
}
