//! A thousand concurrent callers and two workers: every caller gets a response, and the daemon stays
//! responsive meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use contract::failure::{Failure, FailureCode};
use futures_util::future::{join_all, try_join_all};
use reqwest::Method;
use tokio::sync::Barrier;

use tests::harness::{Daemon, DaemonBuilder, built};

use super::machine::peak_mb;
use super::memory::idle;
use super::report::{Goal, Row};
use super::samples::Samples;
use super::wire::{Connection, Reply, request};

const CALLERS: usize = 1000;

/// Codex's stand-in answers after 50 ms.
const QUESTION: &str = r#"{"problem":"fake-codex: ok-after 50","context":"A crowd.","candidate_plans":[{"name":"A","description":"Wait."}],"phase":"initial"}"#;

/// The 99th percentile of the time of `/healthz`, in milliseconds.
const HEALTH_P99_MAX: f64 = 50.0;

/// The interval of requests to `/healthz`.
const HEALTH_INTERVAL: Duration = Duration::from_millis(2);

/// The responses to the callers.
#[derive(Debug, Default)]
struct Answers {
    advice: usize,
    overloaded: usize,
    /// The times of refusals.
    sent_away: Vec<Duration>,
    /// Unexpected responses.
    others: Vec<String>,
}

pub(super) async fn measure(rounds: usize) -> anyhow::Result<Vec<Row>> {
    let daemon = DaemonBuilder::new()?.codex(&built("fake-codex")?).start().await?;
    let before = peak_mb(daemon.pid())?;
    let (mut answers, mut health, mut busy) = (Answers::default(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let ended = Arc::new(AtomicBool::new(false));
        let watch = watch_health(&daemon, &ended)?;
        let begun = Instant::now();
        let asked = ask_all(&daemon, &mut answers).await;
        busy.push(begun.elapsed());
        ended.store(true, Ordering::Relaxed);
        asked?;
        health.extend(watch.join().map_err(|_| anyhow!("the health check panicked"))??);
    }
    let peak = peak_mb(daemon.pid())?;
    let after = idle(&daemon, "idle memory after the crowd").await?;

    let asked = rounds * CALLERS;
    let Answers { advice, overloaded, sent_away, others } = answers;
    let first = others.first().map(|other| format!(": {other}")).unwrap_or_default();
    let health = Samples::of(health);
    let (busy, sent_away) = (Samples::of(busy), Samples::of(sent_away));
    Ok(vec![
        Row::told(
            format!("{CALLERS} requests at once, 2 workers, {rounds} times"),
            format!(
                "{advice} advice, {overloaded} `overloaded` with Retry-After, {} others{first}",
                others.len()
            ),
        )
        .with(Goal::all(advice + overloaded, asked)),
        Row::times("time to `overloaded`", &sent_away),
        Row::times("time until all were answered", &busy),
        Row::times("`/healthz` meanwhile", &health).with(Goal::at_most(
            health.percentile(99),
            HEALTH_P99_MAX,
            "ms (p99)",
        )),
        Row::told("peak memory", format!("RSS {peak:.1} MB (before: {before:.1} MB)")),
        after,
    ])
}

/// Opens all connections, then sends all requests.
async fn ask_all(daemon: &Daemon, answers: &mut Answers) -> anyhow::Result<()> {
    let client = daemon.client();
    let asked: Arc<[u8]> = request(client, Method::POST, "/analyze", QUESTION.as_bytes()).into();
    let opened = try_join_all((0..CALLERS).map(|_| Connection::open(client.address())));
    let connections = opened.await.context("a connection was refused")?;
    let together = Arc::new(Barrier::new(CALLERS));
    let calls = connections.into_iter().map(|mut connection| {
        let (asked, together) = (Arc::clone(&asked), Arc::clone(&together));
        tokio::spawn(async move {
            together.wait().await;
            let begun = Instant::now();
            let reply = connection.ask(&asked).await;
            (reply, begun.elapsed())
        })
    });
    for call in join_all(calls).await {
        let (reply, time) = call?;
        match reply {
            Ok(reply) => answers.count(&reply, time),
            Err(error) => answers.others.push(error.to_string()),
        }
    }
    Ok(())
}

impl Answers {
    fn count(&mut self, reply: &Reply, time: Duration) {
        let failure = serde_json::from_slice(&reply.body).ok();
        let code = failure.map(|failure: Failure| failure.error.code);
        match (reply.status, code, reply.has_retry_after) {
            (200, None, _) => self.advice += 1,
            (503, Some(FailureCode::Overloaded), true) => {
                self.overloaded += 1;
                self.sent_away.push(time);
            }
            _ => self.others.push(String::from_utf8_lossy(&reply.body).into_owned()),
        }
    }
}

type Watch = thread::JoinHandle<anyhow::Result<Vec<Duration>>>;

/// Requests `/healthz` until told to end; in its own thread, so that the callers' work in this
/// process is not counted as the daemon's.
fn watch_health(daemon: &Daemon, ended: &Arc<AtomicBool>) -> anyhow::Result<Watch> {
    let (client, ended) = (daemon.client().clone(), Arc::clone(ended));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(thread::spawn(move || {
        runtime.block_on(async {
            let asked = request(&client, Method::GET, "/healthz", b"");
            let mut connection = Connection::open(client.address()).await?;
            let mut times = Vec::new();
            while !ended.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let reply = connection.ask(&asked).await?;
                times.push(begun.elapsed());
                ensure!(reply.status == 200, "/healthz said {}", reply.status);
                tokio::time::sleep(HEALTH_INTERVAL).await;
            }
            Ok(times)
        })
    }))
}
