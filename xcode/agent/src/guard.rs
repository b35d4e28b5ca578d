//! Detects repetition: the same call with the same result again and again.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many calls are compared, the newest included.
const SPAN: usize = 10;

/// At this many equal calls the model is warned.
const NOTED_AT: usize = 3;

/// At this many equal calls the loop stops.
const STOPPED_AT: usize = 5;

/// The last calls of a turn.
#[derive(Debug, Default)]
pub(crate) struct RepetitionGuard {
    last: VecDeque<u64>,
    noted: Vec<u64>,
}

/// The guard's verdict on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// No repetition.
    None,
    /// The model is to be warned, once.
    Note,
    /// The loop is to be stopped.
    Stop,
}

impl RepetitionGuard {
    /// Records a call that ended: its tool, its arguments as text, its result.
    pub(crate) fn push(&mut self, tool: &str, arguments: &str, result: &str) -> Repetition {
        let mut hasher = DefaultHasher::new();
        (tool, arguments, result).hash(&mut hasher);
        let call = hasher.finish();
        if self.last.len() == SPAN {
            self.last.pop_front();
        }
        self.last.push_back(call);
        let equal = self.last.iter().filter(|one| **one == call).count();
        if equal >= STOPPED_AT {
            return Repetition::Stop;
        }
        if equal < NOTED_AT || self.noted.contains(&call) {
            return Repetition::None;
        }
        self.noted.push(call);
        Repetition::Note
    }
}

#[cfg(test)]
mod tests {
    use super::{Repetition, RepetitionGuard};

    fn said(calls: &str) -> String {
        let mut guard = RepetitionGuard::default();
        let told = calls.chars().map(|call| match guard.push("shell", &call.to_string(), "x") {
            Repetition::None => '.',
            Repetition::Note => 'n',
            Repetition::Stop => 's',
        });
        told.collect()
    }

    #[test]
    fn the_third_is_noted_once_and_the_fifth_stops() {
        for (calls, expected) in [
            ("aaaaa", "..n.s"),
            ("abababaab", "....nn.s."),
            // Of those further back than ten calls nothing counts.
            ("aabcdefghija", "............"),
            ("aabcdefghia", "..........."),
            ("aabcdefgha", ".........n"),
            ("abcdefghijklm", "............."),
        ] {
            assert_eq!(said(calls), expected, "{calls}");
        }
    }

    #[test]
    fn another_result_or_another_tool_is_another_call() {
        let mut guard = RepetitionGuard::default();
        for number in 0..20 {
            let result = number.to_string();
            assert_eq!(guard.push("shell", "{}", &result), Repetition::None);
        }
        for tool in ["a", "b", "c", "a", "b", "c"] {
            assert_eq!(guard.push(tool, "{}", "x"), Repetition::None);
        }
    }
}
