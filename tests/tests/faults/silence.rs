//! Codex prints nothing useful and does not end.

use std::time::Duration;

use futures_util::future::join_all;

use crate::fixture::{ask, fake, question};

const SHORT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(30);

/// Rows 2 and 3: the deadline ends it, and there is no time for a second try.
#[tokio::test]
async fn a_silent_codex_is_ended_at_the_deadline() {
    let daemon = fake().env("CODEX_BRIDGE_MAX_RUNNING", "4").start().await.unwrap();
    // Beside one another: each of them waits.
    join_all(["hang", "hang-after-thread", "slow-drip", "tree 3"].map(async |mode| {
        let asked = ask(&daemon, &question(mode, SHORT)).await;
        assert_eq!(asked.verdict(), "504 timeout, 1 attempts", "{mode}");
        assert!(asked.took >= SHORT, "{mode}: {:?}", asked.took);
    }))
    .await;
}

/// Row 3.
#[tokio::test]
async fn a_codex_that_reconnects_for_ever_tells_what_it_waits_for() {
    let daemon = fake().start().await.unwrap();
    let asked = ask(&daemon, &question("reconnecting", SHORT)).await;
    assert_eq!(asked.verdict(), "502 network, 1 attempts");
    assert!(asked.summary().contains("error sending request"), "{:?}", asked.summary());
}

/// Row 2: a provider that does not begin to answer within the deadline is a stall, which a second attempt may cure.
#[tokio::test]
async fn a_stalled_codex_gets_one_more_try() {
    let daemon = fake().env("CODEX_BRIDGE_STALL_MS", "1000").start().await.unwrap();
    let asked = ask(&daemon, &question("hang-after-thread", LONG)).await;
    assert_eq!(asked.verdict(), "504 stalled, 2 attempts");
    assert!(asked.took < LONG, "{:?}", asked.took);
    let asked = ask(&daemon, &question("flaky 1 hang-after-thread", LONG)).await;
    assert_eq!(asked.verdict(), "200 advice, 2 attempts");
}

/// Row 2: the second try belongs to the same deadline.
#[tokio::test]
async fn two_attempts_share_one_deadline() {
    let daemon = fake().env("CODEX_BRIDGE_STALL_MS", "1000").start().await.unwrap();
    // The first is ended after 1 s, and 1.8 s later; the second is caught by the deadline.
    let input = question("flaky 1 hang-after-thread hang", Duration::from_millis(4500));
    let asked = ask(&daemon, &input).await;
    assert_eq!(asked.verdict(), "200 advice, 2 attempts");
    let input = question("hang-after-thread", Duration::from_secs(3));
    let asked = ask(&daemon, &input).await;
    assert_eq!(asked.verdict(), "504 stalled, 1 attempts");
}

/// Row 10.
#[tokio::test]
async fn a_codex_that_ignores_signals_is_gone_soon_after_the_deadline() {
    let daemon = fake().start().await.unwrap();
    let asked = ask(&daemon, &question("ignoreterm", SHORT)).await;
    assert_eq!(asked.verdict(), "504 timeout, 1 attempts");
    let metrics = daemon.client().get("/metrics").await.unwrap().body;
    let killed = "codex_bridge_kills_total{rung=\"kill\"} 1";
    assert!(metrics.as_str().unwrap().contains(killed), "{metrics}");
}
