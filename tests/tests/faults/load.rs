//! Far more callers than workers. Nextest runs this alone.

use std::time::{Duration, Instant};

use reqwest::Method;
use tests::harness::{Client, wait_until_some};
use tokio::task::JoinSet;

use crate::fixture::{ask, fake, healthy, memory_kib, question};

const CALLERS: usize = 1_000;
const WORKERS: usize = 2;
const PLACES: usize = 32;
const DEADLINE: Duration = Duration::from_secs(60);

/// The promise for the daemon's memory.
const MEMORY_MAX_KIB: u64 = 100 << 10;

/// What a crowd may leave in memory: a daemon starts with some 13 MB and is to stay below 20.
const LEFT_MAX_KIB: u64 = 6 << 10;

/// Row 20.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_callers_share_two_workers_and_the_rest_hears_no_at_once() {
    let daemon = fake()
        .env("CODEX_BRIDGE_MAX_RUNNING", WORKERS.to_string())
        .env("CODEX_BRIDGE_MAX_QUEUED", PLACES.to_string())
        .start()
        .await
        .unwrap();
    let input = question("ok-after 200", DEADLINE);
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (client, input) = (daemon.client().clone(), input.clone());
        callers.spawn(async move {
            let started = Instant::now();
            (client.analyze(&input).await.unwrap(), started.elapsed())
        });
    }
    let (mut advised, mut refused, mut most) = (0, Vec::new(), 0);
    while let Some(called) = callers.join_next().await {
        let (answer, took) = called.unwrap();
        match answer.status {
            200 => advised += 1,
            503 => {
                assert_eq!(answer.body["error"]["code"], "overloaded", "{answer:?}");
                let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
                assert!(seconds > 0);
                refused.push(took);
            }
            other => panic!("{other}: {answer:?}"),
        }
        if answer.status == 200 {
            most = most.max(at_work(&daemon));
            healthy(&daemon).await;
        }
    }
    assert_eq!(advised + refused.len(), CALLERS);
    assert!(advised >= WORKERS + PLACES, "{advised} were advised");
    assert!((1..=WORKERS).contains(&most), "{most} Codex at once");
    // A no costs nothing: the last one comes long before the queue is empty.
    refused.sort_unstable();
    let slowest = refused.last().unwrap();
    assert!(*slowest < DEADLINE / 4, "{slowest:?}");
    let memory = memory_kib(daemon.pid(), "VmHWM");
    assert!(memory < MEMORY_MAX_KIB, "{memory} KiB");
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
}

/// How many Codex are at work now.
fn at_work(daemon: &tests::harness::Daemon) -> usize {
    let children = daemon.children();
    let is_codex = |word: Option<&str>| matches!(word, Some("exec" | "app-server"));
    children.iter().filter(|child| is_codex(child.command.split(' ').nth(1))).count()
}

/// The crowd leaves the daemon as small as it was, but for what it has used of its own program since.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_leaves_no_memory_behind() {
    let daemon = fake()
        .env("CODEX_BRIDGE_MAX_RUNNING", WORKERS.to_string())
        .env("CODEX_BRIDGE_MAX_QUEUED", PLACES.to_string())
        .start()
        .await
        .unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let before = memory_kib(daemon.pid(), "RssAnon");
    let input = question("ok", DEADLINE);
    for _ in 0..2 {
        let crowd = Client::new(daemon.client().address(), daemon.client().token()).unwrap();
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (client, input) = (crowd.clone(), input.clone());
            callers.spawn(async move { client.analyze(&input).await.unwrap().status });
        }
        drop(crowd);
        let answers = callers.join_all().await;
        assert!(answers.iter().all(|status| [200, 503].contains(status)), "{answers:?}");
    }
    let gone = wait_until_some(DEADLINE, async || {
        let response = daemon.client().request(Method::GET, "/metrics").send().await.ok()?;
        response.text().await.ok()?.contains("codex_bridge_connections 1\n").then_some(())
    });
    assert!(gone.await.is_some(), "connections of the crowd are open");
    let after = memory_kib(daemon.pid(), "RssAnon");
    assert!(after < before + LEFT_MAX_KIB, "{before} KiB before, {after} KiB after");
}
