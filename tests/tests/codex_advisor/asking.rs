//! Questions with answers: both rounds, both formats, and the output.

use serde_json::{Value, json};

use crate::fixture::{Advisor, daemon, question};

#[tokio::test]
async fn both_rounds_in_yaml_and_json() {
    let daemon = daemon().await;
    // Its file is one of the project's, wherever the tests' own folder lies.
    let advisor = Advisor::of(daemon.folder()).in_folder(&daemon.folder().work());
    let told = advisor.tell(&["ask"], &question("ok")).await;
    let said = told.stderr.clone();
    let first = told.json(0);
    let meta = &first["meta"];
    assert_eq!((&meta["round"], &meta["phase"]), (&json!(1), &json!("initial")));
    // Standard error is no terminal: the id and nothing else.
    assert_eq!(said, format!("run_id: {}\n", meta["run_id"].as_str().unwrap()));

    let second = json!({
        "problem": "Which queue, then?", "context": "as before", "phase": "initial",
        "candidate_plans": [{ "name": "outbox", "description": "Write, then publish." }],
    });
    let file = daemon.folder().work().join("second.json");
    std::fs::write(&file, second.to_string()).unwrap();
    let session = meta["session_id"].as_str().unwrap();
    let args = ["ask", "--phase", "final", "--session", session, file.to_str().unwrap()];
    let last = advisor.json(&args, "", 0).await;
    assert_eq!((&last["meta"]["round"], &last["meta"]["rounds_left"]), (&json!(2), &json!(0)));
    assert_eq!(last["meta"]["session_id"], session);

    let third = advisor.tell(&args, "").await.failure(2);
    assert_eq!(third.error.code.as_str(), "round_limit");
}

#[tokio::test]
async fn a_template_is_a_question() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    for phase in ["initial", "final"] {
        let template = advisor.tell(&["template", "--phase", phase], "").await;
        assert_eq!(template.code, Some(0), "{template:#?}");
        let advice = advisor.json(&["ask", "-"], &template.stdout, 0).await;
        assert_eq!(advice["meta"]["phase"], phase);
    }
}

#[tokio::test]
async fn the_same_call_twice_is_one_run_under_a_key_and_two_without() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let run = async |key: &[&str], question: &str| {
        let args: Vec<_> = ["ask"].iter().chain(key).copied().collect();
        let advice = advisor.json(&args, question, 0).await;
        advice["meta"]["run_id"].clone()
    };
    let asked = question("ok");
    let keyed = ["--key", "mine-1"];
    let first = run(&keyed, &asked).await;
    assert_eq!(run(&keyed, &asked).await, first);
    let fresh = run(&[], &asked).await;
    assert!(fresh != first && run(&[], &asked).await != fresh);
    let args = ["ask", "--key", "mine-1"];
    let other = advisor.tell(&args, &question("fenced")).await.failure(2);
    assert_eq!(other.error.code.as_str(), "idempotency_conflict");
    let page = advisor.json(&["runs"], "", 0).await;
    assert_eq!(page["runs"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn the_history_is_shown_and_the_exit_code_is_that_of_the_run() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let advice = advisor.json(&["ask"], &question("ok"), 0).await;
    let run = advice["meta"]["run_id"].as_str().unwrap();
    let record = advisor.json(&["show", run], "", 0).await;
    assert_eq!((&record["run"]["state"], &record["outcome"]), (&json!("succeeded"), &advice));
    assert_eq!(advisor.json(&["wait", run], "", 0).await, advice);
    let summary = advisor.json(&["cancel", run], "", 0).await;
    assert_eq!(summary["state"], "succeeded", "what has ended stays as it was");

    let failed = advisor.json(&["ask"], &question("turnfailed no more of this"), 4).await;
    assert_eq!(failed["error"]["type"], "codex_failure");
    let run = failed["meta"]["run_id"].as_str().unwrap();
    assert_eq!(advisor.json(&["show", run], "", 4).await["outcome"], failed);
    let page = advisor.json(&["runs", "--state", "failed"], "", 0).await;
    assert_eq!(page["runs"][0]["run_id"], run);
    assert_eq!(page["runs"].as_array().unwrap().len(), 1);

    let unknown = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    for command in ["show", "wait", "cancel"] {
        let failure = advisor.tell(&[command, unknown], "").await.failure(2);
        assert_eq!(failure.error.code.as_str(), "not_found", "{command}");
    }
}

#[tokio::test]
async fn markdown_has_the_recommendation_first() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let told = advisor.tell(&["ask", "--markdown"], &question("ok")).await;
    assert_eq!(told.code, Some(0), "{told:#?}");
    assert!(told.stdout.starts_with("# Recommended: "), "{}", told.stdout);
    assert!(told.stdout.contains("codex-advisor ask --phase final --session "));
    let table = advisor.tell(&["runs", "--markdown"], "").await;
    assert!(table.stdout.starts_with("| run | state |"), "{}", table.stdout);
    let failure = advisor.tell(&["ask", "--markdown"], "problem: x\n").await;
    assert_eq!(failure.code, Some(2));
    assert!(failure.stdout.starts_with("# No advice: input_error / contract_violation"));
}

#[tokio::test]
async fn a_reader_that_has_gone_away_is_no_failure() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    for (mode, code) in [("ok", 0), ("turnfailed enough", 4)] {
        let mut running = advisor.start(&["ask"], &question(mode)).await;
        running.close_stdout();
        let told = running.end().await;
        assert_eq!((told.code, told.stdout.as_str()), (Some(code), ""), "{told:#?}");
        assert!(!told.stderr.contains("panicked"), "{told:#?}");
    }
}

#[tokio::test]
async fn the_bridge_is_reached_over_a_unix_socket() {
    let builder = crate::fixture::builder();
    let socket = builder.folder().work().join("s");
    let daemon = builder.arg("--socket").arg(&socket).start().await.unwrap();
    let url = format!("unix:{}", socket.display());
    let advisor = Advisor::of(daemon.folder()).env("CODEX_BRIDGE_URL", url);
    let advice = advisor.json(&["ask"], &question("ok"), 0).await;
    assert!(matches!(advice["recommendation"], Value::Object(_)));
}
