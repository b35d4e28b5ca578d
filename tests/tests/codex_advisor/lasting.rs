//! Runs that last longer than the command: the timeout, signals, and a daemon that dies half way.

use std::os::unix::fs::symlink;

use contract::failure::FailureCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::StateDir;

use crate::fixture::{Advisor, at_work, daemon, held, question, release};

/// The words of a command that was printed for a shell, without the program's name.
fn words(command: &Value) -> Vec<&str> {
    let mut words = command.as_str().unwrap().split(' ');
    assert_eq!(words.next(), Some("codex-advisor"));
    words.collect()
}

#[tokio::test]
async fn a_run_goes_on_after_the_timeout_and_is_picked_up() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let args = ["ask", "--timeout", "5"];
    let pending = advisor.json(&args, &question(&held(daemon.folder())), 5).await;
    let run = pending["run_id"].as_str().unwrap();
    assert!(["queued", "running"].contains(&pending["state"].as_str().unwrap()), "{pending:#}");
    assert_eq!(words(&pending["pick_up"]), ["wait", run]);
    assert_eq!(words(&pending["cancel"]), ["cancel", run]);
    let record = advisor.json(&["show", run], "", 5).await;
    assert_eq!(record["run"]["session_id"], pending["session_id"]);

    let waiting = advisor.start(&words(&pending["pick_up"]), "").await;
    release(daemon.folder());
    let advice = waiting.end().await.json(0);
    assert_eq!(advice["meta"]["run_id"], run);
}

#[tokio::test]
async fn a_signal_ends_the_command_and_not_the_run() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    for (signal, name) in
        [(Signal::TERM, "SIGTERM"), (Signal::INT, "SIGINT"), (Signal::HUP, "SIGHUP")]
    {
        let mut asking = advisor.start(&["ask"], &question("hang-after-thread")).await;
        let run = asking.run_id().await;
        at_work(&daemon, run).await;
        kill_process(Pid::from_raw(asking.pid()).unwrap(), signal).unwrap();
        let pending = asking.end().await.json(5);
        assert_eq!(pending["run_id"], json!(run));
        assert!(pending["message"].as_str().unwrap().contains(name), "{pending:#}");
        let record = advisor.json(&words(&json!(format!("codex-advisor show {run}"))), "", 5).await;
        assert_eq!(record["run"]["state"], "running");

        let waiting = advisor.start(&words(&pending["pick_up"]), "").await;
        let cancelled = advisor.json(&words(&pending["cancel"]), "", 0).await;
        assert_eq!(cancelled["state"], "cancelled");
        let failure = waiting.end().await.failure(4);
        assert_eq!(failure.error.code, FailureCode::Cancelled);
    }
}

#[tokio::test]
async fn a_run_of_a_daemon_that_was_killed_and_came_back_is_interrupted() {
    let daemon = daemon().await;
    // By another path: what bears the daemon's own path counts as left behind when it ends.
    let elsewhere = StateDir::new().unwrap();
    let state = elsewhere.work().join("link");
    symlink(daemon.folder().state(), &state).unwrap();
    let advisor = Advisor::of(&elsewhere).env("CODEX_BRIDGE_STATE_DIR", &state);
    let args = ["ask", "--reconnect", "100"];
    let mut asking = advisor.start(&args, &question("hang-after-thread")).await;
    let run = asking.run_id().await;
    at_work(&daemon, run).await;
    // On another port: the address is looked up anew.
    let daemon = daemon.restart().await.unwrap();
    let failure = asking.end().await.failure(3);
    assert_eq!(failure.error.code, FailureCode::Interrupted);
    let record = advisor.json(&["show", &run.to_string()], "", 3).await;
    assert_eq!(record["run"]["state"], "interrupted");
    drop(daemon);
}

#[tokio::test]
async fn a_daemon_that_does_not_come_back_is_unreachable() {
    let mut daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let args = ["ask", "--reconnect", "1"];
    let mut asking = advisor.start(&args, &question("hang-after-thread")).await;
    let run = asking.run_id().await;
    at_work(&daemon, run).await;
    daemon.kill().await.unwrap();
    let failure = asking.end().await.failure(3);
    assert_eq!(failure.error.code, FailureCode::BridgeUnreachable);
    let pick_up = format!("codex-advisor wait {run}");
    assert!(failure.error.message.contains(&pick_up), "{}", failure.error.message);
}

#[tokio::test]
async fn a_run_that_waits_for_a_worker_is_pending_too() {
    let builder = crate::fixture::builder().env("CODEX_BRIDGE_MAX_RUNNING", "1");
    let daemon = builder.start().await.unwrap();
    let advisor = Advisor::of(daemon.folder());
    let mut first = advisor.start(&["ask"], &question(&held(daemon.folder()))).await;
    at_work(&daemon, first.run_id().await).await;
    let mut second = advisor.start(&["ask"], &question("ok")).await;
    let run = second.run_id().await;
    kill_process(Pid::from_raw(second.pid()).unwrap(), Signal::TERM).unwrap();
    let pending = second.end().await.json(5);
    assert_eq!((&pending["run_id"], &pending["state"]), (&json!(run), &json!("queued")));
    release(daemon.folder());
    first.end().await.json(0);
    advisor.json(&words(&pending["pick_up"]), "", 0).await;
}
