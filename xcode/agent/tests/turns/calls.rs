//! Calls: checked, judged, run in order, and what the model sees of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agent::{Answer, Outcome};
use contract::xc::{CallStatus, PermitMode};
use mock_model::{Reply, Script, Turn};
use serde_json::json;
use tokio::sync::Barrier;

use crate::stage::{Kind, ScriptedHost, Stage, look, tool, turn};

/// The results of the first turn's calls, as the model gets them.
async fn results(stage: &mut Stage, calls: Turn, host: &ScriptedHost) -> Vec<String> {
    stage.mock.set_script(Script::sequence([calls.into()], Reply::Text("Done.".into())));
    let end = turn(&mut stage.session(), "go", host).await;
    assert_eq!((end.exit, end.answer.as_str()), (0, "Done."));
    stage.requests().last().expect("a request").results()
}

fn text(text: &str) -> serde_json::Value {
    json!({"text": text})
}

#[tokio::test]
async fn calls_that_cannot_run_have_a_result_that_says_why() {
    let mut stage = Stage::new(Reply::Empty).await;
    let calls = Turn::call("Look", &text("a"))
        .and_raw_call("look", "{\"text\": \"a")
        .and_raw_call("look", "[1]")
        .and_call("look", &json!({"path": 1}))
        .and_call("look", &text("b"))
        .and_call("rm -rf /", &text("c"));
    let host = ScriptedHost::default();
    let results = results(&mut stage, calls, &host).await;
    let begins = [
        "There is no tool Look. The nearest is look.",
        "The arguments of look are not a JSON object",
        "The arguments of look are not a JSON object (expected an object, found an array)",
        "The arguments of look do not keep to its schema; nothing was run.\n",
        "saw b",
        "There is no tool rm_-rf__.",
    ];
    assert_eq!(results.len(), begins.len());
    for (result, begin) in results.iter().zip(begins) {
        assert!(result.starts_with(begin), "{result}");
    }
    assert!(results[1].contains("They came as:\n{\"text\": \"a\n"), "{}", results[1]);
    let violations = &results[3];
    assert!(violations.contains("\"text\" is a required property"), "{violations}");
    assert!(violations.contains("'path' was unexpected"), "{violations}");
    // The history has an object in the place of what was none.
    let body = stage.requests()[1].json().to_string();
    assert!(body.contains("\"arguments\":\"{}\""), "{body}");
    let statuses: Vec<_> =
        host.of("result").iter().map(|result| result["status"].clone()).collect();
    assert_eq!(statuses, ["error", "error", "error", "error", "ok", "error"]);
}

/// XC-51, design 8: up to eight reading calls side by side.
#[tokio::test]
async fn reading_calls_run_side_by_side() {
    let mut stage = Stage::new(Reply::Empty).await;
    // Eight calls that all wait for one another end only if they run at once; nine do so only if the
    // ninth begins when one ended.
    let barrier = Arc::new(Barrier::new(8));
    let running = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counted = Arc::clone(&running);
    stage.tools = vec![tool("look", Kind::Reads, move |arguments, _| {
        let (barrier, counted) = (Arc::clone(&barrier), Arc::clone(&counted));
        async move {
            let now = counted.0.fetch_add(1, Ordering::SeqCst) + 1;
            counted.1.fetch_max(now, Ordering::SeqCst);
            barrier.wait().await;
            counted.0.fetch_sub(1, Ordering::SeqCst);
            Outcome::ok(format!("saw {}", arguments["text"].as_str().unwrap()))
        }
    })];
    let calls = (0..16).fold(Turn::empty(), |turn, n| turn.and_call("look", &text(&n.to_string())));
    let results = results(&mut stage, calls, &ScriptedHost::default()).await;
    let expected: Vec<String> = (0..16).map(|n| format!("saw {n}")).collect();
    assert_eq!(results, expected, "in the order of the model");
    assert_eq!(running.1.load(Ordering::SeqCst), 8);
}

#[tokio::test]
async fn what_changes_something_waits_for_what_is_before_it() {
    let mut stage = Stage::new(Reply::Empty).await;
    let log = Arc::new(Mutex::new(Vec::new()));
    let noting = |name: &'static str, kind| {
        let log = Arc::clone(&log);
        tool(name, kind, move |arguments, _| {
            let log = Arc::clone(&log);
            let text = arguments["text"].as_str().unwrap().to_owned();
            async move {
                log.lock().unwrap().push(format!("+{text}"));
                tokio::task::yield_now().await;
                log.lock().unwrap().push(format!("-{text}"));
                Outcome::ok(text)
            }
        })
    };
    stage.tools = vec![noting("look", Kind::Reads), noting("change", Kind::Runs)];
    let calls = Turn::call("look", &text("1"))
        .and_call("look", &text("2"))
        .and_call("change", &text("3"))
        .and_call("change", &text("4"))
        .and_call("look", &text("5"));
    let results = results(&mut stage, calls, &ScriptedHost::default()).await;
    assert_eq!(results, ["1", "2", "3", "4", "5"]);
    let log = log.lock().unwrap();
    let mut reads = log[..4].to_vec();
    reads.sort();
    assert_eq!(reads, ["+1", "+2", "-1", "-2"]);
    assert_eq!(log[4..], ["+3", "-3", "+4", "-4", "+5", "-5"]);
}

#[tokio::test]
async fn the_user_is_asked_and_a_denial_stops_nothing_else() {
    let mut stage = Stage::new(Reply::Empty).await;
    stage.mode = PermitMode::Ask;
    let calls = Turn::call("change", &text("touch 1"))
        .and_call("change", &text("touch 2"))
        .and_call("look", &text("3"));
    stage.mock.set_script(Script::sequence([calls.into()], Reply::Text("Done.".into())));
    let host = ScriptedHost::answering([Answer::No(Some("use cp".into())), Answer::Once]);
    let end = turn(&mut stage.session(), "go", &host).await;
    let results = stage.requests()[1].results();
    assert!(results[0].starts_with("Permission denied by user."), "{}", results[0]);
    assert!(results[0].ends_with("\nuse cp"), "{}", results[0]);
    assert_eq!(results[1..], ["changed touch 2", "saw 3"]);
    assert_eq!(end.exit, 0, "denied calls do not change the code");
    assert_eq!(end.denied.len(), 1);
    assert_eq!((end.denied[0].tool.as_str(), end.denied[0].id.is_empty()), ("change", false));
    let verdicts: Vec<_> = host
        .of("permission")
        .iter()
        .map(|one| format!("{} {}", one["verdict"].as_str().unwrap(), one["by"].as_str().unwrap()))
        .collect();
    assert_eq!(verdicts[1], "deny user");
    assert_eq!(verdicts[3], "allow user");
    assert!(verdicts[0].starts_with("ask") && verdicts[2].starts_with("ask"));
    assert_eq!(host.asked()[0].input, text("touch 1"));
}

#[tokio::test]
async fn a_yes_for_the_session_is_asked_once() {
    let mut stage = Stage::new(Reply::Empty).await;
    stage.mode = PermitMode::Ask;
    let calls = Turn::call("change", &text("git add a")).and_call("change", &text("git add b"));
    let host = ScriptedHost::answering([Answer::Session]);
    let results = results(&mut stage, calls, &host).await;
    assert_eq!(results, ["changed git add a", "changed git add b"]);
    assert_eq!(host.asked().len(), 1);
}

#[tokio::test]
async fn of_an_answer_that_asks_without_end_some_calls_run() {
    let mut stage = Stage::new(Reply::Empty).await;
    let call = |turn: Turn, n: usize| turn.and_call("look", &text(&n.to_string()));
    let calls = (0..200).fold(Turn::empty(), call);
    let results = results(&mut stage, calls, &ScriptedHost::default()).await;
    assert_eq!((results.len(), results[127].as_str()), (200, "saw 127"));
    assert!(results[128..].iter().all(|result| result.starts_with("Not run: ")));
}

/// XC-52: errors, timeouts and panics are results, and the loop goes on.
#[tokio::test]
async fn whatever_becomes_of_a_tool_is_a_result() {
    let mut stage = Stage::new(Reply::Empty).await;
    stage.tools = vec![
        look(),
        tool("fail", Kind::Runs, |_, _| async { Outcome::error("no such file") }),
        tool("late", Kind::Runs, |_, _| async {
            Outcome { status: CallStatus::Timeout, ..Outcome::error("[timeout after 30000 ms]") }
        }),
        tool("panic", Kind::Runs, |arguments, _| async move {
            Outcome::ok(arguments["there is none"].to_string())
        }),
    ];
    let calls = ["fail", "late", "panic", "look"];
    let calls = calls.iter().fold(Turn::empty(), |turn, name| turn.and_call(name, &text("a")));
    let host = ScriptedHost::default();
    let results = results(&mut stage, calls, &host).await;
    assert_eq!(
        results,
        [
            "no such file",
            "[timeout after 30000 ms]",
            "The tool failed: an internal error.",
            "saw a"
        ]
    );
    let statuses: Vec<_> =
        host.of("result").iter().map(|result| result["status"].clone()).collect();
    assert_eq!(statuses, ["error", "timeout", "error", "ok"]);
}

#[tokio::test]
async fn a_long_result_keeps_its_two_ends() {
    let mut stage = Stage::new(Reply::Empty).await;
    stage.tools = vec![tool("look", Kind::Reads, |_, _| async {
        Outcome::ok(format!("{}{}", "龙\n".repeat(20_000), "\u{1b}[31mend"))
    })];
    let host = ScriptedHost::default();
    let results = results(&mut stage, Turn::call("look", &text("a")), &host).await;
    assert!(results[0].contains("\n\n... [truncated ") && results[0].ends_with("龙\nend"));
    let result = &host.of("result")[0];
    assert_eq!(result["truncated"], json!(true));
    assert_eq!(result["chars"], json!(results[0].chars().count()));
}
