//! The log of a run: each line says to which run, attempt and process it belongs.

use serde_json::{Value, json};

use crate::fixture::{builder, question};

#[tokio::test]
async fn a_line_of_an_attempt_carries_the_ids_of_its_run_attempt_and_process() {
    let daemon = builder().env("CODEX_BRIDGE_LOG_LEVEL", "debug").start().await.unwrap();
    let failed = daemon.client().analyze(&question("fake-codex: flaky 2 diemid")).await.unwrap();
    let meta = &failed.body["meta"];
    let log = daemon.log();
    let lines: Vec<Value> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();

    let ends: Vec<&Value> =
        lines.iter().filter(|line| line["message"] == "codex has ended").collect();
    assert_eq!(ends.len(), 2, "{log}");
    for (attempt, line) in (1..).zip(&ends) {
        let ids =
            ["span", "run.id", "session.id", "session.round", "attempt"].map(|key| &line[key]);
        let span = json!("analyze:attempt:process");
        let expected = [&span, &meta["run_id"], &meta["session_id"], &json!(1), &json!(attempt)];
        assert_eq!(ids, expected);
        assert!(line["codex.pid"].is_u64(), "{line}");
    }
    assert_ne!(ends[0]["codex.pid"], ends[1]["codex.pid"]);

    let run = meta["run_id"].as_str().unwrap();
    let ended = lines.iter().find(|line| line["message"] == format!("run {run} failed")).unwrap();
    assert_eq!((&ended["span"], &ended["run.id"]), (&json!("analyze"), &meta["run_id"]),);
}
