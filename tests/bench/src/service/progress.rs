//! What it takes to see how a model goes on: processor time of a turn of 20,000 events with Codex's log
//! and without it, in turns; and how soon the first sign is there.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use mock_model::{MockModel, Part, Piece, Reply, Script, Turn, advice};
use reqwest::Method;
use serde_json::Value;

use tests::harness::Daemon;

use super::report::{Goal, Row};
use super::samples::Samples;
use super::with_codex;

const QUESTION: &str = include_str!("../../../../schemas/examples/valid/initial.json");

/// Events of the flood.
const FLOOD: usize = 20_000;

/// Turns that are not counted: the first ones read 300 MB of executable into memory.
const WARM_UP: usize = 1;

/// The most processor time that the log may add to the flood, as a part of what it takes without.
const ADDED_MAX: f64 = 0.10;

/// The most time until the first sign, 95 times of 100, in milliseconds.
const FIRST_P95_MAX: f64 = 300.0;

/// Ticks of `/proc/PID/stat` in a second (USER_HZ).
const TICKS: f64 = 100.0;

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let mock = MockModel::local(flood()).await?;
    let seen = daemon(&mock, "").await?;
    let unseen = daemon(&mock, "RUST_LOG=off; export RUST_LOG; ").await?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..count + WARM_UP {
        // Each begins as often as the other.
        let times = match round % 2 {
            0 => (busy(&seen).await?, busy(&unseen).await?),
            _ => {
                let second = busy(&unseen).await?;
                (busy(&seen).await?, second)
            }
        };
        if round >= WARM_UP {
            with.push(times.0);
            without.push(times.1);
        }
    }
    let total = |times: &[f64]| times.iter().sum::<f64>();
    let added = total(&with) / total(&without) - 1.0;
    let (with, without) = (Samples::new(with), Samples::new(without));

    let asked = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&asked);
    mock.set_script(Script::choose(move |_| {
        *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Reply::Advice.thought_and_written(Duration::from_millis(5))
    }));
    let mut first = Vec::new();
    for _ in 0..count * 3 {
        let came = first_sign(&seen).await?;
        let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.push(came.duration_since(asked.context("the model was not asked")?));
    }
    let first = Samples::of(first);
    let what = format!("processor time of a turn of {FLOOD} events");
    Ok(vec![
        Row::times(format!("{what}, daemon and Codex, its log off"), &without),
        Row::times(format!("{what}, with the log read"), &with),
        Row::told("added by the log, all turns together", format!("{:.1} %", added * 100.0))
            .with(Goal::at_most(added * 100.0, ADDED_MAX * 100.0, "%")),
        Row::times(
            "from the request at the model, which answers at once, to the first sign",
            &first,
        )
        .with(Goal::at_most(first.percentile(95), FIRST_P95_MAX, "ms (p95)")),
    ])
}

/// Advice behind a long thought.
fn flood() -> Script {
    Script::choose(|request| {
        let shown = (0..FLOOD).map(|_| Piece::new("x ")).collect();
        let thoughts = Part::Reasoning { shown, opaque: None };
        let text = advice::answer(&request.user_texts());
        Reply::Turn(Turn::empty().and(thoughts).and_text(text))
    })
}

/// A daemon whose Codex is started by a script that does `first`.
async fn daemon(mock: &MockModel, first: &str) -> anyhow::Result<Daemon> {
    let (builder, codex) = with_codex()?;
    let wrapper = builder.folder().work().join("codex");
    fs::write(&wrapper, format!("#!/bin/sh\n{first}exec '{}' \"$@\"\n", codex.display()))?;
    fs::set_permissions(&wrapper, Permissions::from_mode(0o755))?;
    builder.codex(&wrapper).mock_model(mock).start().await
}

/// Asks once. Returns the processor time that daemon and Codex took, in milliseconds.
async fn busy(daemon: &Daemon) -> anyhow::Result<f64> {
    let question: Value = serde_json::from_str(QUESTION)?;
    let before = processor_ms(daemon.pid())?;
    let answer = daemon.client().analyze(&question).await?;
    ensure!(answer.status == 200, "no advice: {}", answer.body);
    ensure!(daemon.is_idle_within(Duration::from_secs(30)).await, "still busy");
    Ok(processor_ms(daemon.pid())? - before)
}

/// The processor time of a process and of its children that have ended, in milliseconds.
fn processor_ms(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))?;
    // utime, stime, cutime and cstime stand behind the name, which may have blanks (proc(5)).
    let fields = stat.rsplit_once(')').context("no name")?.1;
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? * 1000.0 / TICKS)
}

/// Asks once. Returns when the first event came that tells that the model was heard.
async fn first_sign(daemon: &Daemon) -> anyhow::Result<Instant> {
    let request = daemon.client().request(Method::POST, "/analyze");
    let request =
        request.header("accept", "text/event-stream").header("content-type", "application/json");
    let mut response = request.body(QUESTION).send().await?;
    let (mut text, mut came) = (String::new(), None);
    while let Some(chunk) = response.chunk().await? {
        text.push_str(std::str::from_utf8(&chunk)?);
        if came.is_none() && text.contains("\"stage\":\"thinking\"") {
            came = Some(Instant::now());
        }
    }
    came.context("the model was not heard")
}
