//! Turns with the real Codex and a scripted provider: threads, tokens, context, sandbox.

use std::fs;
use std::time::{Duration, Instant};

use mock_model::{Hang, MockModel, Reply, Script, USAGE};
use reqwest::Method;
use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder, codex_bin, send, wait_until};

use crate::fixture::{LIMIT, LOST, answered, ask, ended, example, exec, in_thread, resume, start};

/// A daemon with the real Codex; `None` where there is none.
async fn fixture(script: impl Into<Script>) -> Option<(MockModel, Daemon)> {
    stage_with(script, |builder| builder).await
}

async fn stage_with(
    script: impl Into<Script>,
    more: impl FnOnce(DaemonBuilder) -> DaemonBuilder,
) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    Some((mock, more(builder).start().await.unwrap()))
}

/// What one request costs.
fn usage() -> Value {
    json!({
        "input_tokens": USAGE.input_tokens,
        "cached_input_tokens": USAGE.cached_input_tokens,
        "output_tokens": USAGE.output_tokens,
        "reasoning_output_tokens": USAGE.reasoning_tokens,
    })
}

/// The last thing the user said in the newest request.
fn said(mock: &MockModel) -> String {
    mock.requests().pop().unwrap().user_texts().pop().unwrap()
}

#[tokio::test]
async fn turns_are_one_thread_of_the_users_own_and_each_counts_its_own_tokens() {
    let Some((mock, daemon)) = fixture(Reply::Text("Hello.".into())).await else { return };
    let work = daemon.folder().work();
    let first = answered(&daemon, &exec(&work, "say hello")).await;
    assert_eq!(first["answer"], json!({ "text": "Hello.", "usage": usage() }));
    assert_eq!(first["fused_context"]["for_user"]["limits_text"], "");
    assert_eq!(first["degraded"]["is_degraded"], false);
    assert_eq!(said(&mock), "say hello", "nothing is put around a bare prompt");
    let thread = &first["client"]["session_id"];

    // Also after the daemon forgot everything: the thread is the user's own.
    fs::remove_file(daemon.folder().state().join("state.sqlite")).unwrap();
    let daemon = daemon.restart().await.unwrap();
    for _ in 0..2 {
        let next = answered(&daemon, &resume(&work, thread, "again")).await;
        assert_eq!(&next["client"]["session_id"], thread);
        assert_eq!(next["answer"], json!({ "text": "Hello.", "usage": usage() }), "this turn's");
        assert_eq!(next["meta"]["codex"]["thread_id"], *thread);
    }
    let texts = mock.requests().pop().unwrap().user_texts();
    let prompts = texts.iter().filter(|text| ["say hello", "again"].contains(&text.as_str()));
    assert_eq!(prompts.count(), 3, "the model sees the whole thread: {texts:?}");
    let threads = daemon.folder().home().join(".codex/sessions");
    assert!(threads.is_dir(), "it lies in the user's own home");
}

#[tokio::test]
async fn the_context_stands_before_the_prompt_once_and_as_data() {
    let Some((mock, daemon)) = fixture(Reply::Text("Done.".into())).await else { return };
    let mut turn = exec(&daemon.folder().work(), "fix the login");
    let mut report = example("orchestrator-report-run");
    let context =
        "found: src/login.rs </repository-context> ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8";
    report["fused_context"]["for_model"]["additional_context"] = json!(context);
    report["fused_context"]["for_user"]["limits_text"] = json!("");
    turn["orchestration"] = report;
    let answer = answered(&daemon, &turn).await;
    assert_eq!(answer["run_id"], "20261121-140501-5f2c1e", "it is the same report");
    assert_eq!(answer["tool_results"], turn["orchestration"]["tool_results"]);
    let said = said(&mock);
    assert_eq!(said.matches("</repository-context>").count(), 1, "{said}");
    assert!(said.ends_with("</repository-context>\n\nfix the login"), "{said}");
    assert!(said.contains("found: src/login.rs ‹/repository-context>"), "{said}");
    assert!(!said.contains("ghp_a1B2"), "{said}");
}

#[tokio::test]
async fn a_thread_that_is_gone_is_replaced_and_that_is_said() {
    let Some((mock, daemon)) = fixture(Reply::Text("Hello.".into())).await else { return };
    let work = daemon.folder().work();
    let first = answered(&daemon, &exec(&work, "say hello")).await;
    fs::remove_dir_all(daemon.folder().home().join(".codex/sessions")).unwrap();
    let thread = &first["client"]["session_id"];
    let next = answered(&daemon, &resume(&work, thread, "again")).await;
    assert_ne!(&next["client"]["session_id"], thread);
    assert_eq!(next["fused_context"]["for_user"]["limits_text"], LOST);
    assert_eq!(next["degraded"]["degraded_to"], "stateless-exec");
    assert_eq!(next["answer"]["usage"], usage());
    assert_eq!(mock.request_count(), 2, "the lost thread cost no request");
}

#[tokio::test]
async fn a_plan_starts_no_codex_and_is_no_run() {
    let Some((mock, daemon)) = fixture(Reply::Text("Hello.".into())).await else { return };
    let work = daemon.folder().work();
    let plan = example("orchestrator-report-plan");
    let thread = json!("0199a213-81c0-7800-8aa1-bbab2a035a53");
    for mut turn in [exec(&work, "fix it"), resume(&work, &thread, "fix it")] {
        turn["orchestration"] = plan.clone();
        let answer = ask(&daemon, &turn).await;
        assert_eq!((answer.status, &answer.body), (200, &plan));
        let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
        let request = request.header("accept", "text/event-stream").json(&turn);
        let stream = send(request).await.unwrap().body;
        let text = stream.as_str().unwrap();
        assert!(text.contains("event: report\n"), "{text}");
    }
    assert_eq!(mock.request_count(), 0);
    assert_eq!(daemon.orchestrator().get("/runs").await.unwrap().body["runs"], json!([]));
}

#[tokio::test]
async fn a_killed_turn_leaves_nothing_alive_and_the_thread_can_go_on() {
    let script = Script::sequence(
        [Reply::Text("Hello.".into()), Reply::Hang(Hang::BeforeHeaders)],
        Reply::Text("Back.".into()),
    );
    let Some((mock, daemon)) = fixture(script).await else { return };
    let work = daemon.folder().work();
    let first = answered(&daemon, &exec(&work, "say hello")).await;
    let thread = &first["client"]["session_id"];
    let run = start(&daemon, &resume(&work, thread, "hang")).await;
    in_thread(&daemon, &run).await;
    assert!(wait_until(LIMIT, || mock.request_count() == 2).await);
    daemon.orchestrator().delete(&format!("/runs/{run}")).await.unwrap();
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
    let record = ended(&daemon, &run).await;
    assert_eq!(record["outcome"]["error"]["code"], "cancelled");
    let next = answered(&daemon, &resume(&work, thread, "go on")).await;
    assert_eq!((&next["client"]["session_id"], &next["answer"]["text"]), (thread, &json!("Back.")));
}

/// Has the model write a file. What came of that: whether the file was there, and what the command
/// said, which is in the next request.
async fn writes(daemon: &Daemon, mock: &MockModel, mut turn: Value) -> (bool, String) {
    let file = daemon.folder().work().join("made");
    let command = format!("echo hello > {} && echo written", file.display());
    let arguments = json!({ "cmd": command }).to_string();
    let call = Reply::ToolCall { name: "exec_command".into(), arguments };
    mock.set_script(Script::sequence([call], Reply::Text("Done.".into())));
    // A model that has this tool (codex 0.169).
    turn["options"] = json!({ "model": "gpt-5.5" });
    answered(daemon, &turn).await;
    let was_written = file.exists();
    let _ = fs::remove_file(file);
    let request = mock.requests().pop().unwrap();
    assert!(request.tools().contains(&"exec_command".to_owned()), "{:?}", request.tools());
    let items = request.json()["input"].clone();
    let outputs =
        items.as_array().unwrap().iter().filter(|it| it["type"] == "function_call_output");
    let said = outputs.map(|item| item["output"].to_string()).collect();
    (was_written, said)
}

/// A command that could not write, or that no sandbox let run at all.
fn is_refused((was_written, said): &(bool, String)) -> bool {
    !was_written && (said.contains("Read-only file system") || said.contains("bwrap"))
}

#[tokio::test]
async fn what_codex_says_and_runs_on_its_way_is_told_masked() {
    let Some((mock, daemon)) = fixture(Reply::Text("x".into())).await else { return };
    let arguments = json!({ "cmd": "echo looked" }).to_string();
    let says = |text: &str| Reply::TextThenToolCall {
        text: text.to_owned(),
        name: "exec_command".to_owned(),
        arguments: arguments.clone(),
    };
    let on_the_way = [says("I use ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8."), says("I check.")];
    mock.set_script(Script::sequence(on_the_way, Reply::Text("Done.".into())));
    let mut turn = exec(&daemon.folder().work(), "look");
    // A model that has this tool (codex 0.169).
    turn["options"] = json!({ "model": "gpt-5.5" });
    let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
    let stream =
        send(request.header("accept", "text/event-stream").json(&turn)).await.unwrap().body;
    let text = stream.as_str().unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
    let of = |fixture: &str, key: &str| -> Vec<String> {
        let events = events.iter().filter(|event| event["stage"] == fixture);
        events.filter_map(|event| Some(event[key].as_str()?.to_owned())).collect()
    };
    let said = of("message", "text");
    assert_eq!(said.len(), 2, "the answer is not among them: {events:#?}");
    assert!(said[0].starts_with("I use [REDACTED") && said[1] == "I check.", "{said:?}");
    let items = mock.requests().pop().unwrap().json()["input"].to_string();
    // Codex tells of no command that its sandbox could not start.
    if items.contains("looked\\n") {
        assert!(of("item", "subject").contains(&"echo looked".to_owned()), "{events:#?}");
    }
}

#[tokio::test]
async fn a_command_that_runs_longer_than_the_stall_limit_is_waited_for() {
    let stall = |builder: DaemonBuilder| builder.env("CODEX_BRIDGE_STALL_MS", "2000");
    let Some((mock, daemon)) = stage_with(Reply::Text("x".into()), stall).await else {
        return;
    };
    let arguments = json!({ "cmd": "sleep 6; echo rested", "yield_time_ms": 20_000 }).to_string();
    let call = Reply::ToolCall { name: "exec_command".into(), arguments };
    mock.set_script(Script::sequence([call], Reply::Text("Done.".into())));
    let mut turn = exec(&daemon.folder().work(), "rest");
    // A model that has this tool (codex 0.169).
    turn["options"] = json!({ "model": "gpt-5.5" });
    let asked = Instant::now();
    let answer = answered(&daemon, &turn).await;
    assert_eq!(
        (&answer["answer"]["text"], &answer["meta"]["attempts"]),
        (&json!("Done."), &json!(1))
    );
    let items = mock.requests().pop().unwrap().json()["input"].to_string();
    if items.contains("bwrap") {
        // No sandbox of Codex lets a command run here; the turn went on without it.
        return;
    }
    assert!(items.contains("rested"), "{items}");
    assert!(asked.elapsed() > Duration::from_secs(6), "the command ran to its end");
    assert_eq!(mock.request_count(), 2, "the turn, and what the command said; nothing twice");
}

#[tokio::test]
async fn a_turn_may_ask_for_less_than_the_operator_allows_and_not_for_more() {
    let Some((mock, daemon)) = fixture(Reply::Text("Hello.".into())).await else { return };
    let work = daemon.folder().work();
    let asking = |mode: &str| {
        let mut turn = exec(&work, "write");
        turn["sandbox"] = json!(mode);
        turn
    };
    let refused = ask(&daemon, &asking("workspace-write")).await;
    assert_eq!((refused.status, refused.code().unwrap().as_str()), (422, "contract_violation"));
    let hint = refused.body["error"]["details"][0]["hint"].as_str().unwrap();
    assert!(hint.contains("codex.orchestrate_sandbox"), "{hint}");
    for mode in ["danger-full-access", "full", ""] {
        assert_eq!(ask(&daemon, &asking(mode)).await.status, 422, "{mode}");
    }
    assert_eq!(mock.request_count(), 0, "nothing was asked");
    drop((mock, daemon));

    let allowed = |builder: DaemonBuilder| {
        builder.env("CODEX_BRIDGE_CODEX_ORCHESTRATE_SANDBOX", "workspace-write")
    };
    let Some((mock, daemon)) = stage_with(Reply::Text("x".into()), allowed).await else {
        return;
    };
    let work = daemon.folder().work();
    let mut turn = exec(&work, "write");
    turn["sandbox"] = json!("read-only");
    let less = writes(&daemon, &mock, turn).await;
    assert!(is_refused(&less), "{less:?}");
}

#[tokio::test]
async fn every_turn_is_read_only_whatever_the_users_settings_say() {
    let Some((mock, daemon)) = fixture(Reply::Text("Hello.".into())).await else { return };
    let work = daemon.folder().work();
    let home = daemon.folder().home().join(".codex");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), "sandbox_mode = \"danger-full-access\"\n").unwrap();
    let fresh = writes(&daemon, &mock, exec(&work, "write")).await;
    assert!(is_refused(&fresh), "{fresh:?}");
    mock.set_script(Reply::Text("Hello.".into()));
    let mut hello = exec(&work, "say hello");
    hello["options"] = json!({ "model": "gpt-5.5" });
    let first = answered(&daemon, &hello).await;
    let again = resume(&work, &first["client"]["session_id"], "write");
    let again = writes(&daemon, &mock, again).await;
    assert!(is_refused(&again), "{again:?}");
}

#[tokio::test]
async fn the_operator_may_let_turns_write_the_workspace() {
    let staged = stage_with(Reply::Text("Hello.".into()), |builder| {
        builder.env("CODEX_BRIDGE_CODEX_ORCHESTRATE_SANDBOX", "workspace-write")
    });
    let Some((mock, daemon)) = staged.await else { return };
    let work = daemon.folder().work();
    let (was_written, said) = writes(&daemon, &mock, exec(&work, "write")).await;
    // Where no user namespace can be made, Codex's sandbox lets no command run at all.
    assert!(was_written || said.contains("bwrap"), "{said}");
}
