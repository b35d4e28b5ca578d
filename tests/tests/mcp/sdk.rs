//! What a client of the official SDK sees: the tools, advice, progress, and every way to fail.

use contract::advice::{Asked, parse_advice};
use contract::input::Phase;
use contract::schema;
use contract::workspace::{WORKSPACE_HEADER, Workspace};
use host::project;
use serde_json::{Value, json};
use tests::harness::{StateDir, send};

use crate::fixture::{LIMIT, consult, daemon, get_run, play, question, the_run};

#[tokio::test]
async fn the_tools_are_told_with_the_contract_itself() {
    let folder = StateDir::new().unwrap();
    let steps = [json!({"do": "describe"}), json!({"do": "list"})];
    let Some(outcomes) = play(&folder, &[], &steps).await else { return };

    let server = &outcomes[0]["value"];
    assert_eq!(server["info"]["name"], "codex-bridge");
    assert_eq!(server["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(server["capabilities"], json!({"tools": {}}));
    assert!(server["instructions"].as_str().unwrap().contains("CODEX_FALLBACK"));

    let tools = outcomes[1]["value"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["consult_advisor", "get_run"]);
    assert_eq!(&tools[0]["inputSchema"], schema::ADVISOR_INPUT.document());
    assert_eq!(tools[1]["inputSchema"]["required"], json!(["run_id"]));
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
}

#[tokio::test]
async fn progress_is_told_while_the_run_goes_on() {
    let daemon = daemon().await;
    let gate = daemon.folder().work().join("answer-now");
    let mut step = consult(&question(&format!("fake-codex: ok-when {}", gate.display())));
    step["touch_on"] = json!({"progress": "Codex thinks", "file": gate});
    let Some(outcomes) = play(daemon.folder(), &[], &[step]).await else { return };

    assert_advice(&outcomes[0], &["outbox", "two-phase"]);
    let told = outcomes[0]["progress"].as_array().unwrap();
    let counts: Vec<f64> = told.iter().map(|told| told["progress"].as_f64().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a < b), "{told:?}");
    let messages: Vec<&str> = told.iter().map(|told| told["message"].as_str().unwrap()).collect();
    assert!(messages.iter().any(|message| message.starts_with("Codex thinks (")), "{messages:?}");
}

#[tokio::test]
async fn a_cancelled_call_ends_the_run_and_everything_of_it() {
    let daemon = daemon().await;
    let mut step = consult(&question("fake-codex: hang-after-thread"));
    step["cancel_on"] = json!({"progress": "Codex is ready"});
    let Some(outcomes) = play(daemon.folder(), &[], &[step]).await else { return };

    assert!(outcomes[0]["error"]["message"].as_str().unwrap().contains("enough"), "{outcomes:?}");
    let run = the_run(&daemon, "cancelled").await;
    assert_eq!(run["code"], "cancelled");
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn bad_input_comes_back_with_every_violation() {
    let folder = StateDir::new().unwrap();
    let wrong = json!({"problem": " ", "context": "c", "candidate_plan": [], "phase": "finale"});
    let steps = [consult(&wrong), get_run(&json!({"run_id": "x", "wait_s": "long"}))];
    let Some(outcomes) = play(&folder, &[], &steps).await else { return };

    let error = failure(&outcomes[0], "input_error", "contract_violation");
    let paths: Vec<&Value> =
        error["details"].as_array().unwrap().iter().map(|fault| &fault["path"]).collect();
    assert_eq!(paths, ["/candidate_plan", "/candidate_plans", "/phase", "/problem"]);
    assert!(error["details"][0]["hint"].as_str().unwrap().contains("candidate_plans"));
    let error = failure(&outcomes[1], "input_error", "contract_violation");
    assert_eq!(error["details"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn with_the_bridge_down_every_call_says_so_with_the_fallback() {
    let folder = StateDir::new().unwrap();
    let id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    let steps = [consult(&question("q")), get_run(&json!({"run_id": id}))];
    let nobody = ["--url", "http://127.0.0.1:1"];
    let Some(outcomes) = play(&folder, &nobody, &steps).await else { return };
    for outcome in &outcomes {
        let error = failure(outcome, "bridge_failure", "bridge_unreachable");
        assert_eq!(error["fallback"], "CODEX_FALLBACK");
        assert!(error["message"].as_str().unwrap().contains("codex-bridge serve"), "{error}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol_that_names_the_known_ones() {
    let folder = StateDir::new().unwrap();
    let step = json!({"do": "call", "name": "consult", "arguments": {}});
    let Some(outcomes) = play(&folder, &[], &[step]).await else { return };
    let error = &outcomes[0]["error"];
    assert_eq!(error["code"], -32602, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("\"consult\"; there are consult_advisor, get_run"), "{message}");
}

/// A model may call the tool as often as it likes; the provider is asked twice for a round (ADV-17).
#[tokio::test]
async fn a_model_that_asks_a_round_a_third_time_gets_what_is_kept() {
    let daemon = daemon().await;
    let asked = consult(&question("fake-codex: badschema-always"));
    let other = consult(&question("fake-codex: ok"));
    let Some(_) = play(daemon.folder(), &[], std::slice::from_ref(&other)).await else { return };
    let steps = [asked.clone(), asked, other];
    // Where the stand-in is asked to mend its answer, the words of the question are not there: a file has them.
    let mode = daemon.folder().state().join("codex-home/fake-codex.mode");
    std::fs::write(mode, "badschema-always").unwrap();
    let Some(outcomes) = play(daemon.folder(), &[], &steps).await else { return };
    let first = failure(&outcomes[0], "codex_failure", "bad_output");
    let kept = failure(&outcomes[1], "codex_failure", "bad_output");
    assert_eq!(kept["details"], first["details"]);
    assert!(kept["message"].as_str().unwrap().contains("tried twice"), "{kept}");
    let meta = |outcome: &Value| outcome["value"]["structuredContent"]["meta"].clone();
    assert_eq!(meta(&outcomes[0])["attempts"], 2);
    assert_eq!(meta(&outcomes[1])["run_id"], meta(&outcomes[0])["run_id"], "nothing was asked");
    assert_advice(&outcomes[2], &["outbox", "two-phase"]);
}

#[tokio::test]
async fn a_failed_run_and_a_look_at_it_are_errors_of_the_tool() {
    let daemon = daemon().await;
    let asked = [consult(&question("fake-codex: turnfailed You've hit your usage limit."))];
    let Some(outcomes) = play(daemon.folder(), &[], &asked).await else { return };
    failure(&outcomes[0], "codex_failure", "quota");

    let run = the_run(&daemon, "failed").await;
    let unknown = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    let steps = [
        get_run(&json!({"run_id": run["run_id"]})),
        get_run(&json!({"run_id": unknown, "wait_s": 5})),
    ];
    let outcomes = play(daemon.folder(), &[], &steps).await.unwrap();
    failure(&outcomes[0], "codex_failure", "quota");
    failure(&outcomes[1], "input_error", "not_found");
}

#[tokio::test]
async fn a_run_that_goes_on_is_told_as_such_and_can_be_waited_for() {
    let daemon = daemon().await;
    let gate = daemon.folder().work().join("answer-now");
    let question = question(&format!("fake-codex: ok-when {}", gate.display()));
    // The server works in this project, as the SDK starts it here.
    let project = project::root(&std::env::current_dir().unwrap(), None);
    let project = Workspace::of(&project).unwrap();
    let asked = daemon.client().request(reqwest::Method::POST, "/analyze");
    let asked = asked.header("prefer", "respond-async").header(WORKSPACE_HEADER, project.encode());
    let accepted = send(asked.json(&question)).await.unwrap();
    let run_id = &accepted.body["run_id"];
    let mut wait = get_run(&json!({"run_id": run_id, "wait_s": 60}));
    wait["touch_on"] = json!({"progress": "Codex thinks", "file": gate});
    let steps = [get_run(&json!({"run_id": run_id})), wait, get_run(&json!({"run_id": run_id}))];
    let Some(outcomes) = play(daemon.folder(), &[], &steps).await else { return };

    let pending = &outcomes[0]["value"];
    assert_eq!(pending["isError"], false, "{pending:#}");
    assert_eq!(&pending["structuredContent"]["run_id"], run_id);
    assert!(pending["structuredContent"]["message"].as_str().unwrap().contains("wait_s"));
    for outcome in &outcomes[1..] {
        assert_advice(outcome, &["outbox", "two-phase"]);
    }
}

#[tokio::test]
async fn a_run_of_another_project_is_not_found() {
    let daemon = daemon().await;
    let asked = daemon.client().request(reqwest::Method::POST, "/analyze");
    let asked = asked.header(WORKSPACE_HEADER, "/somewhere/else");
    let advice = send(asked.json(&question("fake-codex: ok"))).await.unwrap().body;
    let run_id = &advice["meta"]["run_id"];
    let mut second = question("fake-codex: ok");
    second["phase"] = json!("final");
    second["session_id"] = advice["meta"]["session_id"].clone();
    let steps = [
        get_run(&json!({"run_id": run_id})),
        get_run(&json!({"run_id": run_id, "wait_s": 5})),
        consult(&second),
    ];
    let Some(outcomes) = play(daemon.folder(), &[], &steps).await else { return };
    failure(&outcomes[0], "input_error", "not_found");
    failure(&outcomes[1], "input_error", "not_found");
    failure(&outcomes[2], "input_error", "unknown_session");
}

mod real_codex {
    use mock_model::{MockModel, Reply};
    use tests::harness::{DaemonBuilder, codex_bin};

    use super::*;

    #[tokio::test]
    async fn both_rounds_are_one_dialogue() {
        let Some(codex) = codex_bin() else { return };
        let mock = MockModel::local(Reply::Advice).await.unwrap();
        let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
        let daemon = builder.start().await.unwrap();
        let mut last = question("Which one?");
        last["phase"] = "final".into();
        let mut last = consult(&last);
        last["session_of"] = 0.into();
        let steps = [consult(&question("Which one?")), last.clone(), last];
        let Some(outcomes) = play(daemon.folder(), &[], &steps).await else { return };

        let metas = [0, 1].map(|index| assert_advice(&outcomes[index], &["outbox", "two-phase"]));
        assert_eq!(metas[0]["session_id"], metas[1]["session_id"]);
        assert_eq!(metas[0]["codex"]["thread_id"], metas[1]["codex"]["thread_id"]);
        assert_eq!([&metas[0]["round"], &metas[1]["round"]], [1, 2]);
        failure(&outcomes[2], "input_error", "round_limit");
        assert_eq!(mock.request_count(), 2);
    }
}

/// The error of a result that is one; the text says the same as the structure.
fn failure<'a>(outcome: &'a Value, kind: &str, code: &str) -> &'a Value {
    let result = &outcome["value"];
    assert_eq!(result["isError"], true, "{outcome:#}");
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["type"], &error["code"]), (&json!(kind), &json!(code)), "{outcome:#}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    error
}

/// The result is advice that keeps every rule of the output contract, and a text with all of it that
/// matters; gives its `meta`.
fn assert_advice(outcome: &Value, plans: &[&str]) -> Value {
    let result = &outcome["value"];
    assert_eq!(result["isError"], false, "{outcome:#}");
    let mut advice = result["structuredContent"].clone();
    let meta = advice.as_object_mut().unwrap().remove("meta").unwrap();
    let plans: Vec<String> = plans.iter().map(|&plan| plan.to_owned()).collect();
    let parsed = parse_advice(&advice.to_string(), Asked::new(Phase::Initial, &plans)).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    let plan = &parsed.recommendation.preferred_plan;
    assert!(text.starts_with(&format!("Recommendation: {plan} (confidence: ")), "{text}");
    for part in [&parsed.recommendation.reason, &parsed.raw_text, &parsed.alternatives[0].name] {
        assert!(text.contains(part.trim()), "{part} is not in {text}");
    }
    assert!(text.contains(meta["session_id"].as_str().unwrap()));
    meta
}
