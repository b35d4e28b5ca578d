//! The responses to many concurrent callers. Nextest runs these alone.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder};

use crate::wire::Wire;

/// The promise for `/healthz` while callers wait.
const HEALTH_P99: Duration = Duration::from_millis(50);

async fn daemon() -> (Daemon, SocketAddr) {
    let codex = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    let daemon = DaemonBuilder::new().unwrap().codex(codex).start().await.unwrap();
    let address = daemon.client().address().parse().unwrap();
    (daemon, address)
}

fn post(daemon: &Daemon, address: SocketAddr, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST /analyze HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        daemon.client().token(),
        body.len(),
    )
}

/// How many are refused in a second is measured by `make bench`: here a neighbour on the machine would decide.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_of_many_callers_are_all_refused() {
    const CALLERS: usize = 32;
    const REQUESTS: usize = 500;
    let (daemon, address) = daemon().await;
    let request = post(&daemon, address, &json!({ "problem": "", "phase": "middle" }));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let request = request.clone();
            tokio::spawn(async move {
                let mut wire = Wire::connect(address).await;
                for _ in 0..REQUESTS {
                    wire.send(&request).await.unwrap();
                    assert_eq!(wire.answer().await.unwrap().status, 422);
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_callers_all_get_an_answer_and_health_stays_quick() {
    const CALLERS: usize = 1_000;
    let (daemon, address) = daemon().await;
    let question = json!({
        "problem": "Which queue?",
        "context": "fake-codex: ok-after 200",
        "candidate_plans": [{ "name": "A", "description": "a table" }],
        "phase": "initial",
    });
    let request = post(&daemon, address, &question);
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let request = request.clone();
            tokio::spawn(async move {
                let mut wire = Wire::connect(address).await;
                wire.send(&request).await.unwrap();
                wire.answer().await.expect("an answer")
            })
        })
        .collect();
    let mut health = Vec::new();
    while callers.iter().any(|caller| !caller.is_finished()) {
        let started = Instant::now();
        let mut wire = Wire::connect(address).await;
        wire.send(format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\n\r\n")).await.unwrap();
        assert_eq!(wire.answer().await.unwrap().status, 200);
        health.push(started.elapsed());
    }
    let (mut advised, mut overloaded) = (0, 0);
    for caller in callers {
        let answer = caller.await.unwrap();
        match answer.status {
            200 => advised += 1,
            503 => {
                assert!(answer.header("retry-after").is_some());
                overloaded += 1;
            }
            other => panic!("{other}: {}", String::from_utf8_lossy(&answer.body)),
        }
    }
    assert_eq!(advised + overloaded, CALLERS);
    assert!(advised >= 2, "{advised} were advised");
    health.sort_unstable();
    let p99 = health[health.len() * 99 / 100];
    assert!(p99 < HEALTH_P99, "p99 {p99:?} of {} looks", health.len());
}
