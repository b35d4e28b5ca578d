//! The prompts of the demo, and the scripted model's responses.

use std::time::Duration;

use mock_model::{Reply, Script, Turn};
use serde_json::json;

use super::project::PROGRAM;

/// The first task.
pub(super) const MEND: &str = "The test fails. Find out why, and make it pass.";
pub(super) const MENDED: &str =
    "`add.sh` subtracted where it should add. It adds now, and the test passes.";
/// The question in Chinese.
pub(super) const CHINESE: &str = "add.sh 是做什么的？";
pub(super) const EXPLAINED: &str = "`add.sh` 打印两个数的和：`sh add.sh 2 3` 输出 5。";
/// A task for which the model makes a careless deletion.
pub(super) const CLEAN: &str = "Clean up the project.";
pub(super) const NOT_CLEANED: &str = "I was not allowed to delete `notes`, so nothing was removed.";
/// The task during which the process is killed.
pub(super) const LONG: &str = "Run the long check.";
/// What its command prints first.
pub(super) const BEGUN: &str = "the long check has begun";
/// The prompt that resumes it.
pub(super) const GO_ON: &str = "Go on.";
/// The answer to that.
pub(super) const WENT_ON: &str =
    "The long check was interrupted; I do not know how it ended, and do not run it again unasked.";

/// The summary of a conversation.
const SUMMARY: &str = r#"{"title": "Make the test pass", "summary": "add.sh subtracted; it adds now, and the test passes."}"#;

/// The response at the terminal when the script is over.
pub(super) const NO_MORE: &str = "I am a script, and this was all of it. Ctrl+D or `/exit` leaves; with a key, a real model answers.";

/// An empty script, before the first step.
pub(super) fn nothing() -> Script {
    Script::always(Reply::Empty)
}

/// Reads two files, runs the test, edits, runs it again, answers.
pub(super) fn mend() -> Script {
    sequence(mending())
}

/// The same at reading speed, and then a response that the script is over. The request without tools is that for the summary.
pub(super) fn at_the_terminal() -> Script {
    let mut turns = mending().into_iter();
    Script::choose(move |asked| {
        let turn = match asked.tools().is_empty() {
            true => Turn::text(SUMMARY),
            false => turns.next().unwrap_or_else(|| Turn::text(NO_MORE)),
        };
        turn.written(4, Duration::from_millis(25)).into()
    })
}

fn mending() -> [Turn; 5] {
    let look = Turn::text("I look at the program and its test.")
        .and_call("readFile", &json!({ "filePath": PROGRAM }))
        .and_call("readFile", &json!({ "filePath": "test.sh" }));
    let change = json!({ "filePath": PROGRAM, "oldString": "$1 - $2", "newString": "$1 + $2" });
    [
        look,
        Turn::call("shell", &json!({ "command": "sh test.sh" })),
        Turn::text("It subtracts.").and_call("edit", &change),
        Turn::call("shell", &json!({ "command": "sh test.sh" })),
        Turn::text(MENDED),
    ]
}

/// Reads, and answers in Chinese.
pub(super) fn chinese() -> Script {
    let look = Turn::call("readFile", &json!({ "filePath": PROGRAM }));
    sequence([look, Turn::text(EXPLAINED)])
}

/// Tries to delete a folder.
pub(super) fn denied() -> Script {
    let delete = Turn::call("shell", &json!({ "command": "rm -rf notes" }));
    sequence([delete, Turn::text(NOT_CLEANED)])
}

/// Runs a command that does not end.
pub(super) fn long() -> Script {
    let command = format!("echo '{BEGUN}' | tee check.log; sleep 20");
    sequence([Turn::call("shell", &json!({ "command": command }))])
}

/// Answers without a tool call.
pub(super) fn resumed() -> Script {
    sequence([Turn::text(WENT_ON)])
}

/// These turns, in small pieces as a provider sends them.
fn sequence<const N: usize>(turns: [Turn; N]) -> Script {
    Script::sequence(turns.map(|turn| turn.in_pieces(8).into()), Reply::Empty)
}
