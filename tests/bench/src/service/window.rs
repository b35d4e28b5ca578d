//! The window's pages with a store of ten thousand runs, and the effect of open pages on other requests.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use reqwest::Method;
use rusqlite::{Connection, params};
use tests::harness::{Daemon, WindowHost, WindowSession};

use super::machine::resident_mb;
use super::report::{Goal, Row};
use super::samples::Samples;
use super::with_codex;

/// Runs in the store.
const RUNS: u32 = 10_000;

/// Characters of a question and of an answer; a run takes some 7 KB.
const TEXT_CHARS: usize = 3_400;

/// The limits of the first page, in milliseconds and bytes, and of a search.
const FIRST_MAX_MS: f64 = 30.0;
const FIRST_MAX_BYTES: f64 = 60.0 * 1024.0;
const SEARCH_MAX_MS: f64 = 150.0;

/// The number of open pages while `/healthz` is requested, and its time limit then.
const STREAMS: usize = 200;
const HEALTH_MAX_MS: f64 = 50.0;

/// How long the daemon may take to check its Codex.
const LIMIT: Duration = Duration::from_secs(30);

/// How much more memory the daemon may use after pages were shown, in MB.
const MEMORY_MAX_MB: f64 = 2.0;

/// Words of the questions; each run has some of them, and one has a unique word.
const WORDS: [&str; 12] = [
    "cache", "retry", "outbox", "queue", "latency", "shard", "schema", "缓存", "重试", "队列",
    "deadline", "review",
];

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let (builder, _) = with_codex()?;
    // The first start creates the store.
    let daemon = builder.start().await?;
    fill(&Connection::open(daemon.folder().state().join("state.sqlite"))?)?;
    let daemon = daemon.restart().await?;
    // Otherwise the first page would make the daemon check its Codex, which is not a cost of the page.
    daemon.client().get("/readyz").await?;
    ensure!(daemon.is_idle_within(LIMIT).await, "still busy: {:?}", daemon.children());
    let resident = |field| resident_mb(daemon.pid(), field);
    let (before, written_before) = (resident("Rss")?, resident("Private_Dirty")?);
    let browser = WindowSession::open(daemon.orchestrator(), WindowHost::Name).await?;
    let mut rows = Vec::new();
    let (first, bytes) = asked(&browser, &["/"], count).await?;
    rows.push(Row::times(format!("`/` over {RUNS} runs"), &first).with(Goal::at_most(
        first.percentile(95),
        FIRST_MAX_MS,
        "ms (p95)",
    )));
    let told = format!("{:.1} KB", bytes / 1024.0);
    let goal = Goal::at_most(bytes, FIRST_MAX_BYTES, "bytes");
    rows.push(Row::told("the same in bytes", told).with(goal));
    let searches = [
        "cache",
        "%E7%BC%93%E5%AD%98",
        "zanzibar",
        "nothing+of+this",
        "candidate_plans",
        "outbox&state=failed",
        "retry&page=40",
        "100%25",
    ];
    let searches: Vec<String> =
        searches.iter().map(|query| format!("/window/runs?q={query}")).collect();
    let searches: Vec<&str> = searches.iter().map(String::as_str).collect();
    let (found, _) = asked(&browser, &searches, count).await?;
    rows.push(Row::times("a search, eight kinds", &found).with(Goal::at_most(
        found.percentile(95),
        SEARCH_MAX_MS,
        "ms (p95)",
    )));
    for path in ["/window/runs", "/window/runs?page=199", "/window/usage?days=90"] {
        let (times, _) = asked(&browser, &[path], count).await?;
        rows.push(Row::times(format!("`{path}`"), &times));
    }
    let added = resident("Rss")? - before;
    let written = resident("Private_Dirty")? - written_before;
    let told = format!("{added:.1} MB (written to {written:.1} MB)");
    rows.push(Row::told("memory that these pages have added", told).with(Goal::at_most(
        added,
        MEMORY_MAX_MB,
        "MB",
    )));
    rows.push(beside_streams(&daemon, &browser, count).await?);
    Ok(rows)
}

/// Fills the store with runs of thirty days, one in ten failed, each with texts.
fn fill(connection: &Connection) -> anyhow::Result<()> {
    let now = i64::try_from(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis(),
    )?;
    connection.execute_batch("BEGIN")?;
    let session = "0199a213-81c0-7800-8aa1-bbab2a035a50";
    connection.execute(
        "INSERT INTO sessions (session_id, opening, created_at, expires_at) VALUES (?1, 'initial', ?2, ?2)",
        params![session, now],
    )?;
    let mut insert = connection.prepare(
        "INSERT INTO runs (run_id, session_id, round, phase, state, code, created_at, started_at,
         finished_at, duration_ms, end_seq, problem, question, outcome, input_tokens,
         cached_input_tokens, output_tokens, reasoning_output_tokens, model, driver, attempts,
         queue_ms, first_event_ms) VALUES (?1, ?2, 1, 'initial', ?3, ?4, ?5, ?5, ?5 + 60000, 60000, 9,
         ?6, ?7, ?8, 4000, 1000, 900, 300, ?9, 'exec', 1, 5, 2000)",
    )?;
    for number in 0..RUNS {
        let words = |from: usize| -> String {
            let word =
                |place: usize| WORDS[(number as usize * 7 + from + place * place) % WORDS.len()];
            let mut text = String::new();
            for place in 0.. {
                if text.chars().count() >= TEXT_CHARS {
                    break;
                }
                text.push_str(word(place));
                text.push(' ');
            }
            text
        };
        let own = if number == RUNS / 2 { "zanzibar" } else { "usual" };
        let failed = number % 10 == 0;
        let problem = format!("run {number} {own} {}", WORDS[number as usize % WORDS.len()]);
        let question = serde_json::json!({
            "problem": problem, "context": words(0), "candidate_plans": [], "phase": "initial",
        });
        let outcome = serde_json::json!({ "raw_text": words(1), "meta": {} });
        let at = now - i64::from(RUNS - number) * (30 * 24 * 3_600_000 / i64::from(RUNS));
        insert.execute(params![
            format!("{:08x}-{:04x}-7000-8000-{number:012x}", at >> 16, at & 0xffff),
            session,
            if failed { "failed" } else { "succeeded" },
            failed.then_some("timeout"),
            at,
            problem,
            question.to_string(),
            outcome.to_string(),
            ["gpt-5.5", "gpt-5.5-mini"][number as usize % 2],
        ])?;
    }
    drop(insert);
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// The times of these pages in turn, and the size of the last one.
async fn asked(
    browser: &WindowSession,
    paths: &[&str],
    count: usize,
) -> anyhow::Result<(Samples, f64)> {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for path in paths.iter().cycle().take(count.max(paths.len()) + 1) {
        let asked = Instant::now();
        let answer = browser.get(path).await?;
        times.push(asked.elapsed());
        ensure!(answer.status == 200, "{path}: {} {:#}", answer.status, answer.body);
        bytes = answer.body.as_str().map_or(0, str::len);
    }
    // The first request opens the connection, so it is not counted.
    Ok((Samples::of(times.into_iter().skip(1)), bytes as f64))
}

/// The times of `/healthz` while pages are open.
async fn beside_streams(
    daemon: &Daemon,
    browser: &WindowSession,
    count: usize,
) -> anyhow::Result<Row> {
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        let stream = browser.request(Method::GET, "/window/events").send().await?;
        ensure!(stream.status() == 200, "no stream: {}", stream.status());
        streams.push(stream);
    }
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..count.max(1) * 10 {
        let asked = Instant::now();
        let answer = daemon.client().get("/healthz").await.context("no answer")?;
        ensure!(answer.status == 200, "unhealthy");
        times.push(asked.elapsed());
    }
    let times = Samples::of(times);
    Ok(Row::times(format!("`/healthz` beside {STREAMS} open pages"), &times).with(Goal::at_most(
        times.percentile(99),
        HEALTH_MAX_MS,
        "ms (p99)",
    )))
}
