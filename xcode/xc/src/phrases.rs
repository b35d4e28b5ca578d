//! Phrases about events that the terminal and `-p` share. Not here: where they are shown.

use contract::xc::{CallStatus, TestsRun};
use serde_json::Value;

use crate::words::{self, Language, Text};

/// The main arguments of tools: the first one that a call has is shown.
const MAIN_ARGUMENTS: [&str; 7] =
    ["command", "filePath", "pattern", "path", "question", "query", "url"];

/// The main argument of a call; empty if it has none of these.
pub(crate) fn main_argument(input: &Value) -> &str {
    MAIN_ARGUMENTS.iter().find_map(|name| input.get(name)?.as_str()).unwrap_or_default()
}

/// What a turn changed and which commands it ran; none if neither.
pub(crate) fn evidence(
    words: Language,
    changed: &[String],
    commands: usize,
    tests: TestsRun,
) -> Option<String> {
    if changed.is_empty() && commands == 0 {
        return None;
    }
    let tests = words.say(match tests {
        TestsRun::Passed => &words::TESTS_PASSED,
        TestsRun::Failed => &words::TESTS_FAILED,
        TestsRun::NotRun => &words::NO_TESTS,
        TestsRun::Unclear => &words::TESTS_UNCLEAR,
    });
    let files = match changed {
        [] => words.say(&words::NOTHING_CHANGED).to_owned(),
        changed => changed.join(", "),
    };
    let commands = commands.to_string();
    let values = [("files", &*files), ("commands", &*commands), ("tests", tests)];
    Some(words.fill(&words::EVIDENCE, &values))
}

/// How a call ended.
pub(crate) const fn status(status: CallStatus) -> &'static Text {
    match status {
        CallStatus::Ok => &words::CALL_OK,
        CallStatus::Error => &words::CALL_FAILED,
        CallStatus::Timeout => &words::CALL_TIMEOUT,
        CallStatus::Interrupted => &words::CALL_INTERRUPTED,
        CallStatus::Denied => &words::CALL_DENIED,
    }
}
