//! Transcripts of the real client, and forged ones.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::{any, prop_assert, proptest};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Coverage, Recent, Status, recent, record, record_path, settled};
use crate::node::writes;

const CALLS: usize = 20;

fn recorded(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../bridge/base/claude-hooks/tests/fixtures");
    folder.join("transcripts").join(name)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn read(path: &Path) -> Recent {
    recent(path, CALLS, soon(), writes).unwrap()
}

fn ends(recent: &Recent) -> Vec<(&str, Status)> {
    recent.calls.iter().map(|call| (call.name.as_str(), call.status)).collect()
}

/// Lines as the client writes them.
fn prompt(text: &str) -> Value {
    json!({"type": "user", "timestamp": "2026-01-01T00:00:01.000Z", "message": {"content": text}})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    json!({"type": "assistant", "message": {"id": format!("m{id}"), "content": [block]}})
}

fn result(id: &str, text: &str, is_error: bool, returned: Value) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
    json!({"type": "user", "message": {"content": [block]}, "toolUseResult": returned})
}

fn file(lines: &[Value]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&path, text.join("\n") + "\n").unwrap();
    (folder, path)
}

#[test]
fn the_ends_of_calls_are_the_true_ones() {
    use Status::{Denied, Error, Success};
    assert_eq!(
        ends(&read(&recorded("tools_and_denials.jsonl"))),
        [("Bash", Success), ("Write", Denied), ("Read", Error), ("Bash", Denied)]
    );
    let both = read(&recorded("tools_ok_and_errors.jsonl"));
    let statuses: Vec<Status> = both.calls.iter().map(|call| call.status).collect();
    assert_eq!(
        statuses,
        [
            Success, Success, Success, Error, Error, Error, Success, Success, Success, Error,
            Error, Error
        ]
    );
    assert_eq!(both.calls[0].path.as_deref(), Some("a.txt"));
    assert_eq!(both.calls[5].what.as_deref(), Some("git status --short; exit 1"));
    assert_eq!(both.statement.as_deref(), Some("done"));
    assert_eq!((both.this_turn, both.coverage), (12, Coverage::Whole));
}

#[test]
fn interruptions_refusals_and_missing_results_are_told_apart() {
    let refused = format!("{}level L2.", super::REFUSED[0]);
    let rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    let halted = "[Request interrupted by user for tool use]";
    let planned = "Cannot write to a.txt while in plan mode.";
    let run = json!({"command": "sleep 9"});
    let (_folder, path) = file(&[
        prompt("go"),
        call("1", "Bash", run.clone()),
        result("1", "partial", false, json!({"stdout": "partial", "interrupted": true})),
        call("2", "Bash", run.clone()),
        result("2", &refused, true, json!("Error")),
        call("3", "Bash", run.clone()),
        result("3", rejected, true, json!("Error")),
        call("4", "Bash", run.clone()),
        result("4", halted, true, json!("Error")),
        call("5", "Write", json!({"file_path": "a.txt"})),
        result("5", planned, true, json!("Error")),
        call("6", "Bash", run.clone()),
        // The words of a refusal in a result that is not a refusal.
        result("6", &refused, false, json!({"stdout": refused})),
        call("7", "Bash", run),
    ]);
    let statuses: Vec<Status> = read(&path).calls.iter().map(|call| call.status).collect();
    use Status::{Denied, Interrupted, Pending, Success};
    assert_eq!(statuses, [Interrupted, Denied, Denied, Interrupted, Denied, Success, Pending]);
}

#[test]
fn parallel_calls_and_other_agents_lines_do_not_mix() {
    let mut foreign = call("9", "Write", json!({"file_path": "x"}));
    foreign["agentId"] = json!("a1");
    let (_folder, path) = file(&[
        prompt("go"),
        call("1", "Bash", json!({"command": "ls"})),
        call("2", "Bash", json!({"command": "false"})),
        foreign,
        result("2", "Exit code 1", true, json!("Error")),
        result("1", "ok", false, json!({"stdout": "ok"})),
    ]);
    assert_eq!(ends(&read(&path)), [("Bash", Status::Success), ("Bash", Status::Error)]);
}

#[test]
fn only_the_last_calls_are_told_and_those_of_the_turn_are_known() {
    let mut lines = Vec::new();
    for number in 0..30 {
        let id = number.to_string();
        if number == 25 {
            lines.push(prompt("next"));
        }
        lines.push(call(&id, "Write", json!({"file_path": format!("f{id}")})));
        lines.push(result(&id, "ok", false, json!({})));
    }
    let (_folder, path) = file(&lines);
    let found = read(&path);
    let names: Vec<String> = (10..30).map(|number| format!("f{number}")).collect();
    let told: Vec<&str> = found.calls.iter().filter_map(|call| call.path.as_deref()).collect();
    assert_eq!((told, found.this_turn), (names.iter().map(String::as_str).collect(), 5));
    assert!(found.did_something());
    assert_eq!(found.prompted, "2026-01-01T00:00:01Z".parse().ok());
}

#[test]
fn reading_alone_is_not_doing_and_a_refusal_is() {
    let look = |status: Value| {
        let (_folder, path) =
            file(&[prompt("go"), call("1", "Bash", json!({"command": "ls"})), status]);
        read(&path).did_something()
    };
    assert!(!look(result("1", "a b", false, json!({}))));
    assert!(look(result("1", "This command requires approval", true, json!("Error"))));
}

#[test]
fn a_sub_agent_is_counted_from_its_own_record() {
    let seen = record(&recorded("main_with_subagent.subagent0.jsonl"), soon(), writes).unwrap();
    assert_eq!((seen.tool_calls, seen.tokens.output, seen.has_write), (1, 40, false));
    assert_eq!(seen.tools.iter().collect::<Vec<_>>(), ["Bash"]);
    assert_eq!(seen.duration_ms(), Some(5_000));
    assert_eq!(seen.statement.as_deref(), Some("main-done"));
    assert!(!seen.failed && !seen.interrupted);
    let failed = record(&recorded("api_error.jsonl"), soon(), writes).unwrap();
    assert!(failed.failed && failed.tool_calls == 0);
}

#[test]
fn a_write_counts_when_it_succeeded() {
    let with = |is_error: bool, name: &str, input: Value| {
        let (_folder, path) =
            file(&[call("1", name, input), result("1", "x", is_error, json!({}))]);
        record(&path, soon(), writes).unwrap().has_write
    };
    assert!(with(false, "Write", json!({"file_path": "a"})));
    assert!(!with(true, "Write", json!({"file_path": "a"})));
    assert!(with(false, "Bash", json!({"command": "sed -i s/a/b/ f.txt"})));
    assert!(with(false, "Bash", json!({"command": "echo x > f.txt"})));
    assert!(with(false, "Bash", json!({"command": "git commit -m x"})));
    assert!(!with(false, "Bash", json!({"command": "grep -r needle . | head"})));
}

#[test]
fn the_record_of_a_sub_agent_lies_beside_the_sessions() {
    let session = Path::new("/p/abc.jsonl");
    let expected = Path::new("/p/abc/subagents/agent-a1.jsonl");
    assert_eq!(record_path(session, "a1").as_deref(), Some(expected));
    for hostile in ["", "../../etc/passwd", "a/b", "a.b", &"a".repeat(200)] {
        assert_eq!(record_path(session, hostile), None);
    }
}

#[test]
fn what_is_no_file_or_not_there_is_said_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let missing = recent(&folder.path().join("none.jsonl"), CALLS, soon(), writes);
    assert!(missing.unwrap_err().to_string().contains("cannot be read"));
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert_eq!(
        recent(&pipe, CALLS, soon(), writes).unwrap_err().to_string(),
        "the transcript is no file"
    );
    assert!(recent(folder.path(), CALLS, soon(), writes).is_err());
}

#[test]
fn two_gigabytes_are_read_from_their_end_within_the_budget() {
    let (_folder, path) = file(&[]);
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(2 << 30).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
    for line in [
        prompt("go"),
        call("1", "Bash", json!({"command": "ls"})),
        result("1", "x", false, json!({})),
    ] {
        write!(file, "\n{line}").unwrap();
    }
    let found = read(&path);
    assert_eq!(ends(&found), [("Bash", Status::Success)]);
    assert_eq!(found.coverage, Coverage::Budget);
}

#[test]
fn a_record_that_lags_is_looked_at_again_until_the_time_is_up() {
    let looks = std::cell::Cell::new(0);
    let look = || {
        looks.set(looks.get() + 1);
        looks.get()
    };
    assert_eq!(settled(soon(), look, |looks| *looks == 3), 3);
    assert_eq!(settled(Instant::now(), look, |_| false), 4);
}

#[test]
fn the_time_ends_the_reading() {
    let found = recent(&recorded("tools_ok_and_errors.jsonl"), CALLS, Instant::now(), writes);
    assert_eq!(found.unwrap().coverage, Coverage::Deadline);
}

proptest! {
    #[test]
    fn nothing_in_a_record_makes_reading_panic(
        lines in proptest::collection::vec(
            proptest::prop_oneof![
                any::<String>(),
                "\\{\"type\":\"(user|assistant)\",\"message\":\\{\"content\":\\[.{0,40}\\]\\}\\}",
            ],
            0..20,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        fs::write(&path, lines.join("\n")).unwrap();
        prop_assert!(recent(&path, CALLS, soon(), writes).is_ok());
        prop_assert!(record(&path, soon(), writes).is_ok());
    }
}
