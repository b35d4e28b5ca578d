//! Start, death, reload, and the death of pm2 itself.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::Signal;
use serde_json::Value;
use tests::harness::{Answer, Client, wait_until};
use tokio::task::JoinHandle;

use crate::fixture::{
    LIMIT, Pm2, daemon, ecosystem, gone, of_run, question, record, run_in_turn, signal,
};

/// Asks in a task of its own and waits for the outcome there.
fn asking(client: &Client, mode: &str) -> JoinHandle<Answer> {
    let (client, question) = (client.clone(), question(mode));
    tokio::spawn(async move { client.analyze(&question).await.unwrap() })
}

/// A daemon that is held back until the test lets it go: pm2 knows the process, and waits.
#[tokio::test]
async fn start_waits_until_the_daemon_answers() {
    let Some(pm2) = Pm2::new() else { return };
    let (began, gate) = (pm2.folder().work().join("began"), pm2.folder().work().join("gate"));
    let held = pm2.folder().work().join("held-back");
    let script = format!(
        "#!/bin/sh\n: > '{}'\nuntil [ -e '{}' ]; do sleep 0.02; done\nexec '{}' \"$@\"\n",
        began.display(),
        gate.display(),
        daemon().display(),
    );
    fs::write(&held, script).unwrap();
    fs::set_permissions(&held, fs::Permissions::from_mode(0o700)).unwrap();
    // The same settings, with more patience: what is looked at must not depend on this machine.
    let patient = pm2.folder().work().join("patient.config.js");
    let real = ecosystem();
    let settings = format!(
        "const real = require({:?});\nreal.apps[0].listen_timeout = 300000;\nmodule.exports = real;\n",
        real.to_str().unwrap(),
    );
    fs::write(&patient, settings).unwrap();

    let pm2 = pm2.env("CODEX_BRIDGE_BIN", &held);
    let mut start = pm2.spawn(&[OsStr::new("start"), patient.as_os_str()]);
    assert!(wait_until(LIMIT, || began.exists()).await, "pm2 did not start the daemon");
    assert_eq!(pm2.app().await.status, "launching");
    assert!(start.try_wait().unwrap().is_none(), "`pm2 start` did not wait");
    assert!(pm2.client_now().await.is_none());

    fs::write(&gate, "").unwrap();
    assert!(pm2.ended(start).await.success());
    // No waiting here: that is what `pm2 start` was for.
    assert!(pm2.client_now().await.is_some(), "started, but it does not answer:\n{}", pm2.log());
    assert_eq!(pm2.app().await.status, "online");
}

#[tokio::test]
async fn a_killed_daemon_comes_back_and_no_codex_stays() {
    let Some(pm2) = Pm2::new() else { return };
    pm2.start().await;
    let client = pm2.client().await;
    let accepted = client.analyze_async(&question("tree 3")).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    let old = pm2.app().await;
    signal(old.pid, Signal::KILL);
    gone(&run_id).await;
    let new = pm2.next(&old).await;
    assert_eq!(new.restarts, old.restarts + 1);
    let client = pm2.client().await;
    let record = record(&client, &run_id).await;
    assert_eq!(record["outcome"]["error"]["code"], "interrupted", "{record:#}");
    let answer = client.analyze(&question("ok")).await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The run ends after the reload was asked for, because the test lets it end only then.
#[tokio::test]
async fn a_reload_lets_the_run_in_flight_finish() {
    let Some(pm2) = Pm2::new() else { return };
    let pm2 = pm2.env("CODEX_BRIDGE_DRAIN_MS", "120000");
    pm2.start().await;
    let client = pm2.client().await;
    let old = pm2.app().await;
    let go = pm2.folder().work().join("go");
    let asked = asking(&client, &format!("ok-when {}", go.display()));
    let run_id = run_in_turn(&client).await;

    let reload = pm2.spawn(&[OsStr::new("reload"), ecosystem().as_os_str()]);
    pm2.logs("stopping: runs in flight may finish").await;
    assert!(!of_run(&run_id).is_empty(), "pm2 ended Codex, which is the daemon's to do");
    fs::write(&go, "").unwrap();
    let answer = asked.await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(pm2.ended(reload).await.success());
    pm2.next(&old).await;
    let record = record(&pm2.client().await, &run_id).await;
    assert_eq!(record["run"]["state"], "succeeded", "{record:#}");
    assert_eq!(record["outcome"], answer.body, "the record is what the caller got");
}

/// A run that does not end within the grace period is ended, told and recorded.
#[tokio::test]
async fn a_reload_tells_the_caller_of_a_run_that_takes_too_long() {
    let Some(pm2) = Pm2::new() else { return };
    let pm2 = pm2.env("CODEX_BRIDGE_DRAIN_MS", "100");
    pm2.start().await;
    let client = pm2.client().await;
    let old = pm2.app().await;
    let asked = asking(&client, "tree 3");
    let run_id = run_in_turn(&client).await;
    pm2.run(&["reload", ecosystem().to_str().unwrap()]).await;
    let answer = asked.await.unwrap();
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.body["error"]["code"], "draining");
    assert_eq!(answer.body["error"]["fallback"], "CODEX_FALLBACK");
    gone(&run_id).await;
    pm2.next(&old).await;
    let record = record(&pm2.client().await, &run_id).await;
    assert_eq!(record["outcome"], answer.body, "the record is what the caller got");
}

/// With its supervisor, the daemon loses the reader of its log. Its callers notice nothing.
#[tokio::test]
async fn the_death_of_pm2_costs_no_answer() {
    let Some(pm2) = Pm2::new() else { return };
    pm2.start().await;
    let client = pm2.client().await;
    let app = pm2.app().await;
    let go = pm2.folder().work().join("go");
    let asked = asking(&client, &format!("ok-when {}", go.display()));
    run_in_turn(&client).await;

    let supervisor = fs::read_to_string(pm2.home().join("pm2.pid")).unwrap();
    let supervisor = supervisor.trim().parse().unwrap();
    signal(supervisor, Signal::KILL);
    let ended = wait_until(LIMIT, || !is_alive(supervisor)).await;
    assert!(ended, "pm2 lives on");
    fs::write(&go, "").unwrap();
    assert_eq!(asked.await.unwrap().status, 200);
    for _ in 0..3 {
        let answer = client.analyze(&question("ok")).await.unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let health: Value = client.get("/healthz").await.unwrap().body;
    assert_eq!(health["status"], "ok");
    signal(app.pid, Signal::TERM);
    assert!(wait_until(LIMIT, || !is_alive(app.pid)).await, "it does not stop by itself");
}

fn is_alive(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
}
