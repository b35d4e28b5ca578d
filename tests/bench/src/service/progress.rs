//! The cost of following a model's progress, for both drivers: processor time of a turn of 20,000 events
//! with Codex's log off, written but not read, and read; in alternation, with the daemon's time separate from
//! Codex's. And the time until the first sign of progress.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use contract::advice::DriverKind;
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

/// How much processor time the log may add, as a part of the time without it.
const ADDED_MAX: f64 = 0.10;

/// The 95th percentile of the time until the first sign of progress, in milliseconds.
const FIRST_P95_MAX: f64 = 300.0;

/// Ticks of `/proc/PID/stat` in a second (USER_HZ).
const TICKS: f64 = 100.0;

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for driver in [DriverKind::Exec, DriverKind::AppServer] {
        let mock = MockModel::local(flood()).await?;
        // What a script does before Codex: disable the log, write the log unread, or use the log as the daemon requests it.
        let off = daemon(&mock, driver, "RUST_LOG=off; export RUST_LOG; ").await?;
        let unread = daemon(&mock, driver, "exec 2>/dev/null; ").await?;
        let read = daemon(&mock, driver, "").await?;
        let mut taken = [const { Vec::new() }; 3];
        for round in 0..count + WARM_UP {
            // Each is first equally often.
            let mut order = [(0, &off), (1, &unread), (2, &read)];
            order.rotate_left(round % 3);
            for (way, daemon) in order {
                let turn = busy(daemon).await?;
                if round >= WARM_UP {
                    taken[way].push(turn);
                }
            }
        }
        rows.extend(told(driver, &taken));
        rows.push(first_signs(driver, &mock, &read, count * 3).await?);
    }
    Ok(rows)
}

/// Processor time of one turn, in milliseconds.
struct Taken {
    daemon: f64,
    /// That of Codex and its guard.
    codex: f64,
}

/// The rows of one driver.
fn told(driver: DriverKind, [off, unread, read]: &[Vec<Taken>; 3]) -> Vec<Row> {
    let mean = |turns: &[Taken], part: fn(&Taken) -> f64| {
        turns.iter().map(part).sum::<f64>() / turns.len() as f64
    };
    let split = |turns: &[Taken]| (mean(turns, |turn| turn.codex), mean(turns, |turn| turn.daemon));
    let by = driver.as_str();
    let row = |how: &str, turns: &[Taken]| {
        let whole = Samples::new(turns.iter().map(|turn| turn.codex + turn.daemon));
        let (codex, daemon) = split(turns);
        Row::told(
            format!("processor time of a turn of {FLOOD} events, `{by}`, {how}"),
            format!("{whole}; mean of Codex {codex:.0} ms, of the daemon {daemon:.0} ms"),
        )
    };
    let total = |turns: &[Taken]| mean(turns, |turn| turn.codex + turn.daemon);
    let part = |more: f64| format!("{:.1} %", more / total(off) * 100.0);
    let added = total(read) / total(off) - 1.0;
    let reading = split(read).1 - split(off).1;
    vec![
        row("its log off", off),
        row("its log to /dev/null", unread),
        row("its log read", read),
        Row::told(
            format!("added by Codex's own writing to nobody, `{by}`"),
            part(total(unread) - total(off)),
        ),
        Row::told(
            format!("added by the daemon's reading, `{by}`"),
            format!("{}, {:.2} µs an event", part(reading), reading * 1e3 / FLOOD as f64),
        ),
        Row::told(
            format!("added by the log, all turns together, `{by}`"),
            format!("{:.1} %", added * 100.0),
        )
        .with(Goal::at_most(added * 100.0, ADDED_MAX * 100.0, "%")),
    ]
}

/// The time until the first sign of progress of a model that thinks at once and continues slowly.
async fn first_signs(
    driver: DriverKind,
    mock: &MockModel,
    daemon: &Daemon,
    count: usize,
) -> anyhow::Result<Row> {
    let asked = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&asked);
    mock.set_script(Script::choose(move |_| {
        *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Reply::Advice.thought_and_written(Duration::from_millis(5))
    }));
    let mut first = Vec::new();
    for _ in 0..count {
        let came = first_sign(daemon).await?;
        let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.push(came.duration_since(asked.context("the model was not asked")?));
    }
    let first = Samples::of(first);
    let by = driver.as_str();
    let what = "from the request at the model, which answers at once, to the first sign";
    Ok(Row::times(format!("{what}, `{by}`"), &first).with(Goal::at_most(
        first.percentile(95),
        FIRST_P95_MAX,
        "ms (p95)",
    )))
}

/// Advice after a long reasoning.
fn flood() -> Script {
    Script::choose(|request| {
        let shown = (0..FLOOD).map(|_| Piece::new("x ")).collect();
        let thoughts = Part::Reasoning { shown, opaque: None };
        let text = advice::answer(&request.user_texts());
        Reply::Turn(Turn::empty().and(thoughts).and_text(text))
    })
}

/// A daemon whose Codex is started by a script that does `first`.
async fn daemon(mock: &MockModel, driver: DriverKind, first: &str) -> anyhow::Result<Daemon> {
    let (builder, codex) = with_codex()?;
    let builder = builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver.as_str());
    let wrapper = builder.folder().work().join("codex");
    fs::write(&wrapper, format!("#!/bin/sh\n{first}exec '{}' \"$@\"\n", codex.display()))?;
    fs::set_permissions(&wrapper, Permissions::from_mode(0o755))?;
    builder.codex(&wrapper).mock_model(mock).start().await
}

/// Makes one request. Returns the processor time that it took.
async fn busy(daemon: &Daemon) -> anyhow::Result<Taken> {
    let question: Value = serde_json::from_str(QUESTION)?;
    let before = processor_ms(daemon.pid())?;
    let answer = daemon.client().analyze(&question).await?;
    ensure!(answer.status == 200, "no advice: {}", answer.body);
    ensure!(daemon.is_idle_within(Duration::from_secs(30)).await, "still busy");
    let after = processor_ms(daemon.pid())?;
    Ok(Taken { daemon: after.daemon - before.daemon, codex: after.codex - before.codex })
}

/// The processor time of a daemon so far, and that of its children that have ended.
fn processor_ms(pid: u32) -> anyhow::Result<Taken> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))?;
    // utime, stime, cutime and cstime follow the name, which may contain spaces (proc(5)).
    let fields = stat.rsplit_once(')').context("no name")?.1;
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse::<f64>);
    let ticks: Vec<f64> = ticks.collect::<Result<_, _>>()?;
    let &[user, system, of_user, of_system] = ticks.as_slice() else {
        anyhow::bail!("cut off: {stat}")
    };
    let millis = |ticks: f64| ticks * 1000.0 / TICKS;
    Ok(Taken { daemon: millis(user + system), codex: millis(of_user + of_system) })
}

/// Makes one request. Returns when the first event arrived that shows the model's activity.
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
