//! How the daemon starts, refuses to start, and ends.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use tests::harness::{Daemon, DaemonBuilder, wait_until_some};
use tokio::task::JoinHandle;

use crate::fixture::{GONE_WITHIN, LIMIT, fake, gone, in_turn, question, record, start};

const DEADLINE: Duration = Duration::from_secs(30);

/// The exit code and the log of a daemon that is to fail.
async fn fails(builder: &DaemonBuilder) -> (Option<i32>, String) {
    let mut child = builder.spawn().unwrap();
    let status = wait_until_some(LIMIT, async || child.try_wait().unwrap()).await;
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    (status.expect("it ends by itself").code(), builder.log())
}

/// Row 27.
#[tokio::test]
async fn a_port_in_use_is_exit_98() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let builder = fake().env("CODEX_BRIDGE_LISTEN", &address);
    let (code, log) = fails(&builder).await;
    assert_eq!(code, Some(98), "{log}");
    assert!(log.contains(&format!("{address} is in use")), "{log}");
    drop(taken);
    builder.start().await.unwrap();
}

/// Row 28: every fault at once, each with its key.
#[tokio::test]
async fn a_bad_configuration_is_exit_78() {
    let builder = fake()
        .env("CODEX_BRIDGE_MAX_RUNNING", "many")
        .env("CODEX_BRIDGE_LISTEN", "0.0.0.0:1")
        .env("CODEX_BRIDGE_DEADLINE_MS", "-5");
    let (code, log) = fails(&builder).await;
    assert_eq!(code, Some(78), "{log}");
    for name in ["limits.max_running", "listen", "limits.deadline_ms"] {
        assert!(log.contains(name), "{name}: {log}");
    }
    let builder = fake();
    let file = builder.folder().work().join("config.toml");
    fs::write(&file, "[limits\nmax_running = 2").unwrap();
    let (code, log) = fails(&builder.arg("--config").arg(&file)).await;
    assert_eq!(code, Some(78), "{log}");
    let builder = fake();
    fs::remove_dir(builder.folder().state()).unwrap();
    fs::write(builder.folder().state(), "a file").unwrap();
    let (code, log) = fails(&builder).await;
    assert_eq!(code, Some(78), "{log}");
}

/// Row 29.
#[tokio::test]
async fn a_second_daemon_on_the_same_state_is_exit_75() {
    let builder = fake();
    let daemon = builder.clone().start().await.unwrap();
    let run_id = start(&daemon, &question("ok-after 1000", DEADLINE)).await;
    let address = fs::read_to_string(daemon.folder().state().join("address")).unwrap();
    let (code, log) = fails(&builder).await;
    assert_eq!(code, Some(75), "{log}");
    assert!(log.contains(&format!("(pid {})", daemon.pid())), "{log}");
    // The first one has not noticed.
    let after = fs::read_to_string(daemon.folder().state().join("address")).unwrap();
    assert_eq!(address, after);
    let record = daemon.client().get(&format!("/runs/{run_id}?wait=20")).await.unwrap();
    assert_eq!(record.body["run"]["state"], "succeeded", "{record:?}");
}

/// A caller who waits, in a task of its own: status and body.
fn caller(daemon: &Daemon, mode: &str) -> JoinHandle<(u16, Value)> {
    let (client, input) = (daemon.client().clone(), question(mode, DEADLINE));
    tokio::spawn(async move {
        let answer = client.analyze(&input).await.unwrap();
        (answer.status, answer.body)
    })
}

/// Waits until that many runs are in Codex's hands; their ids.
async fn running(daemon: &Daemon, count: usize) -> Vec<String> {
    let runs = wait_until_some(LIMIT, async || {
        let page = daemon.client().get("/runs?state=running").await.ok()?.body;
        let runs = page["runs"].as_array()?.iter();
        let runs: Vec<_> = runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect();
        (runs.len() == count).then_some(runs)
    });
    let runs = runs.await.unwrap_or_else(|| panic!("never {count} runs"));
    for run in &runs {
        in_turn(daemon, run).await;
    }
    runs
}

/// Waits until new work is refused, and checks how.
async fn refuses(daemon: &Daemon) {
    let answer = wait_until_some(LIMIT, async || {
        let answer = daemon.client().analyze_async(&question("ok", DEADLINE)).await.unwrap();
        (answer.status != 202).then_some(answer)
    });
    let answer = answer.await.expect("a refusal");
    assert_eq!((answer.status, answer.code().unwrap().as_str()), (503, "draining"));
    assert!(answer.header("retry-after").is_some());
}

/// Row 30: runs that end in time are answered.
#[tokio::test]
async fn a_stop_lets_runs_finish() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = fake().start().await.unwrap();
        let caller = caller(&daemon, "ok-after 1500");
        let runs = running(&daemon, 1).await;
        daemon.signal(signal).unwrap();
        refuses(&daemon).await;
        let (status, body) = caller.await.unwrap();
        assert_eq!(status, 200, "{body:#}");
        assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
        assert!(!daemon.folder().state().join("address").exists());
        let daemon = daemon.restart().await.unwrap();
        assert_eq!(record(&daemon, &runs[0]).await["outcome"], body);
    }
}

/// Row 30: runs that do not are ended, recorded and answered.
#[tokio::test]
async fn a_stop_ends_what_does_not_finish() {
    let mut daemon = fake()
        .env("CODEX_BRIDGE_DRAIN_MS", "1500")
        .env("CODEX_BRIDGE_MAX_RUNNING", "3")
        .start()
        .await
        .unwrap();
    let callers = ["hang", "tree 3", "ignoreterm"].map(|mode| caller(&daemon, mode));
    let runs = running(&daemon, 3).await;
    let queued = caller(&daemon, "ok");
    let is_queued = wait_until_some(LIMIT, async || {
        let page = daemon.client().get("/runs?state=queued").await.ok()?.body;
        (page["runs"].as_array()?.len() == 1).then_some(())
    });
    is_queued.await.unwrap();
    let begun = Instant::now();
    daemon.signal(Signal::TERM).unwrap();
    refuses(&daemon).await;
    for caller in callers.into_iter().chain([queued]) {
        let (status, body) = caller.await.unwrap();
        assert_eq!((status, &body["error"]["code"]), (503, &Value::from("draining")), "{body:#}");
        assert_eq!(body["error"]["retryable"], true);
    }
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(1500), "{took:?}");
    assert!(took < Duration::from_millis(1500) + Duration::from_secs(4), "{took:?}");
    assert!(daemon.is_idle_within(GONE_WITHIN).await, "{:?}", daemon.children());
    let daemon = daemon.restart().await.unwrap();
    for run in &runs {
        let record = record(&daemon, run).await;
        assert_eq!(record["run"]["state"], "failed", "{record:#}");
        assert_eq!(record["run"]["code"], "draining");
    }
}

/// Row 30: a second signal does not wait.
#[tokio::test]
async fn a_second_signal_ends_everything_at_once() {
    let mut daemon = fake().env("CODEX_BRIDGE_DRAIN_MS", "60000").start().await.unwrap();
    let run_id = start(&daemon, &question("ignoreterm", DEADLINE)).await;
    in_turn(&daemon, &run_id).await;
    daemon.signal(Signal::TERM).unwrap();
    refuses(&daemon).await;
    let begun = Instant::now();
    daemon.signal(Signal::INT).unwrap();
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    gone(&run_id).await;
}

/// Row 30: a daemon with nothing to do ends at once, callers or not.
#[tokio::test]
async fn an_idle_daemon_stops_at_once() {
    let mut daemon = fake().start().await.unwrap();
    let idle = std::net::TcpStream::connect(daemon.client().address()).unwrap();
    let begun = Instant::now();
    daemon.signal(Signal::TERM).unwrap();
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    drop(idle);
}
