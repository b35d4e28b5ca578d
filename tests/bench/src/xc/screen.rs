//! What a user at the terminal waits for: the first frame compared with the peers', a key, a flood of output, resuming
//! a session.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use contract::id::SessionId;
use contract::xc::{EndReason, Entry, Header, Line};
use mock_model::{Reply, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tests::harness::{StateDir, survivors};

use super::WARM_UP;
use super::peer::{self, Peer};
use super::place::Place;
use super::pty::Pty;
use crate::service::{Goal, Row, Samples, machine};

/// The limits of the first frame: milliseconds, milliseconds of processor time, and MB of memory when it is ready.
const FIRST_MAX: (f64, f64, f64) = (60.0, 20.0, 31.5);
/// The 99th percentile of the time from a key to its display, in milliseconds.
const KEY_MAX: f64 = 16.0;
/// The most frames per second during a flood.
const FRAMES_MAX: f64 = 30.0;
/// The size of the flood in bytes.
const FLOOD: usize = 50_000_000;
/// How many keys are measured, idle and while the model writes.
const KEYS: usize = 300;
/// How many keys are typed before the input is cleared.
const KEYS_A_LINE: usize = 40;
/// The number of prompts in the session in which keys are typed; each has an answer.
const TURNS: usize = 500;
/// The journal of a long day: its number of prompts, and of words per message, 10 MB together.
const LONG: (usize, usize) = (1_000, 1_000);
/// The limits for resuming it, in milliseconds and in MB.
const LONG_MAX: (f64, f64) = (500.0, 157.3);
/// The text in the empty input.
const READY: &str = "Ask something";

/// Measures everything.
pub(super) async fn measure(xc: &Path, rounds: usize, named: &[Peer]) -> anyhow::Result<Vec<Row>> {
    let mut rows = first_frames(xc, rounds, named).await?;
    rows.extend(keys(xc).await?);
    rows.extend(flood(xc).await?);
    rows.extend(long_day(xc, rounds).await?);
    Ok(rows)
}

/// The first frames of `xc` and of the peers, in alternation. The peers have no account: their first frame asks for
/// one.
async fn first_frames(xc: &Path, rounds: usize, named: &[Peer]) -> anyhow::Result<Vec<Row>> {
    let mut peers: Vec<(Peer, Vec<Duration>)> =
        peer::all(named).into_iter().map(|peer| (peer, Vec::new())).collect();
    let (mut first, mut ready, mut work, mut memory) = (vec![], vec![], vec![], vec![]);
    for round in 0..rounds + WARM_UP {
        let place = Place::new(xc, Reply::Empty).await?;
        let mut pty = place.at_terminal(&[])?;
        let seen = pty.shows("anything", is_anything)? - pty.begun;
        let usable = pty.shows(READY, |shown| shown.contains(READY) && shown.contains("sandbox"));
        let usable = usable? - pty.begun;
        if round >= WARM_UP {
            first.push(seen);
            ready.push(usable);
            work.push(processor_time(pty.pid())?);
            memory.push(machine::peak_mb(pty.pid())?);
        }
        drop(pty);
        for (peer, times) in &mut peers {
            let folder = StateDir::new()?;
            let (path, home) = (std::env::var_os("PATH").unwrap_or_default(), folder.home());
            let variables = [
                (OsStr::new("PATH"), &*path),
                (OsStr::new("HOME"), home.as_os_str()),
                (OsStr::new("LANG"), OsStr::new("C.UTF-8")),
            ];
            let mut pty = Pty::start(&peer.program, &[], &folder.work(), variables)?;
            let seen = pty.shows("anything", is_anything)? - pty.begun;
            if round >= WARM_UP {
                times.push(seen);
            }
            drop(pty);
            end_what_is_left(&home);
        }
    }
    let (first, ready, work) = (Samples::of(first), Samples::of(ready), Samples::of(work));
    let memory = Samples::new(memory);
    let (first_max, work_max, memory_max) = FIRST_MAX;
    let told = format!("RSS {:.1} MB (median of {rounds})", memory.median());
    let mut rows = vec![
        Row::times("`xc` at the terminal: first frame", &first).with(Goal::at_most(
            first.median(),
            first_max,
            "ms",
        )),
        Row::times("the same until the session is ready", &ready),
        Row::times("processor time until then", &work).with(Goal::at_most(
            work.median(),
            work_max,
            "ms",
        )),
        Row::told("peak memory until then", told).with(Goal::at_most(
            memory.median(),
            memory_max,
            "MB",
        )),
    ];
    rows.extend(peers.into_iter().map(|(peer, times)| {
        Row::times(format!("`{}` without an account: first frame", peer.name), &Samples::of(times))
    }));
    Ok(rows)
}

/// Ends processes that a peer has detached from its terminal: `codex` in a new home leaves an app-server and its updater
/// running (0.169.0).
fn end_what_is_left(home: &Path) {
    for left in survivors(&home.to_string_lossy()) {
        let pid = i32::try_from(left.pid).ok().and_then(Pid::from_raw);
        // A process that has ended meanwhile needs nothing.
        let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
}

fn is_anything(shown: &str) -> bool {
    !shown.trim().is_empty()
}

/// The time from a key to its display in a long conversation: when idle, and while the model writes.
async fn keys(xc: &Path) -> anyhow::Result<Vec<Row>> {
    let text = "word ".repeat(100_000);
    let writes = Reply::Turn(Turn::text(text)).written(8, Duration::from_millis(4));
    let place = Place::new(xc, writes).await?;
    write_journal(&place, (TURNS, 60))?;
    let mut pty = place.at_terminal(&["--resume"])?;
    pty.shows(READY, |shown| shown.contains(READY) && shown.contains("sandbox"))?;
    let idle = Samples::of(timed_keys(&mut pty)?);
    pty.typed("go on")?;
    pty.shows("the prompt", |shown| shown.contains("> go on"))?;
    pty.typed("\r")?;
    pty.shows("the answer", |shown| shown.contains("word word"))?;
    let writing = Samples::of(timed_keys(&mut pty)?);
    let messages = 2 * TURNS;
    let row = |what: String, samples: &Samples| {
        Row::times(what, samples).with(Goal::at_most(samples.percentile(99), KEY_MAX, "ms (p99)"))
    };
    Ok(vec![
        row(format!("a key to its paint, {messages} messages, idle"), &idle),
        row(format!("a key to its paint, {messages} messages, while the model writes"), &writing),
    ])
}

fn timed_keys(pty: &mut Pty) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    let mut line = String::from("> ");
    for key in 0..KEYS {
        if key % KEYS_A_LINE == 0 && key > 0 {
            pty.typed("\x15")?;
            pty.shows("an empty input", |shown| !shown.contains(&line))?;
            line.truncate(2);
        }
        line.push(char::from(b'a' + u8::try_from(key % 26)?));
        let at = pty.typed(&line[line.len() - 1..])?;
        times.push(pty.shows(&line, |shown| shown.contains(&line))? - at);
    }
    pty.typed("\x15")?;
    pty.shows("an empty input", |shown| !shown.contains(&line))?;
    Ok(times)
}

/// A command that prints 50 MB.
async fn flood(xc: &Path) -> anyhow::Result<Vec<Row>> {
    let command = format!("head -c {FLOOD} /dev/zero | tr '\\0' x | fold -w 99");
    let script = mock_model::Script::sequence(
        [Turn::call("shell", &json!({ "command": command })).into(), Turn::text("Flooded.").into()],
        Reply::Empty,
    );
    let place = Place::new(xc, script).await?;
    let mut pty = place.at_terminal(&["-t", "flood"])?;
    let from = pty.shows("the output", |shown| shown.contains("xxxxxxxxxxxxxxxx"))?;
    let (frames, bytes) = (pty.frames, pty.bytes);
    let to = pty.shows("the end", |shown| shown.contains("Flooded."))?;
    let took = (to - from).as_secs_f64();
    let each = (pty.frames - frames) as f64 / took;
    let written = (pty.bytes - bytes) as f64 / 1e6;
    let told = format!("{each:.1} frames a second for {took:.2} s, {written:.2} MB written");
    Ok(vec![Row::told("50 MB of output", told).with(Goal::at_most(each, FRAMES_MAX, "a second"))])
}

/// Resuming a session with a journal of 10 MB.
async fn long_day(xc: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let place = Place::new(xc, Reply::Empty).await?;
        let bytes = write_journal(&place, LONG)?;
        ensure!(bytes > 10_000_000, "{bytes}");
        let mut pty = place.at_terminal(&["--resume"])?;
        // The end of the conversation fills the screen; the new element is the status of the opened session.
        let ready = pty.shows("the input below it", |shown| {
            shown.contains("word word") && shown.contains(READY) && shown.contains("sandbox")
        })?;
        if round >= WARM_UP {
            times.push(ready - pty.begun);
            memory.push(machine::peak_mb(pty.pid())?);
        }
    }
    let (times, memory) = (Samples::of(times), Samples::new(memory));
    let (time_max, memory_max) = LONG_MAX;
    let told = format!("RSS {:.1} MB (median of {rounds})", memory.median());
    Ok(vec![
        Row::times("`xc --resume` of 10 MB until it can be typed into", &times)
            .with(Goal::at_most(times.median(), time_max, "ms")),
        Row::told("peak memory until then, 10 MB", told).with(Goal::at_most(
            memory.median(),
            memory_max,
            "MB",
        )),
    ])
}

/// The processor time of all threads of the process, without its children.
fn processor_time(pid: u32) -> anyhow::Result<Duration> {
    let mut sum = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let counted = fs::read_to_string(task?.path().join("schedstat"))?;
        let first = counted.split(' ').next().context("no time in schedstat")?;
        sum += first.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(sum))
}

/// Writes a session of so many prompts, and answers of so many words; returns its size in bytes.
fn write_journal(place: &Place, (turns, words): (usize, usize)) -> anyhow::Result<usize> {
    let folder = place.folder.work().join(".x-code/sessions");
    fs::create_dir_all(&folder)?;
    let (id, at) = (SessionId::generate(), "2026-11-22T20:15:00.123Z");
    let cwd = place.folder.work().canonicalize()?.display().to_string();
    let mut bytes = serde_json::to_vec(&Header::new(id, cwd, "0.1.0".into(), at.into()))?;
    let words = "word ".repeat(words);
    let mut n = 0;
    for turn in 0..turns {
        let answer = Entry::Assistant {
            model: "custom:scripted".into(),
            text: format!("answer {turn} {words}"),
            reasoning: None,
            opaque: None,
            calls: Vec::new(),
        };
        let entries = [
            Entry::User { text: format!("prompt {turn} {words}"), told: String::new() },
            answer,
            Entry::End { reason: EndReason::Answered },
        ];
        for entry in entries {
            n += 1;
            bytes.push(b'\n');
            bytes.extend(serde_json::to_vec(&Line { n, at: at.into(), entry })?);
        }
    }
    bytes.push(b'\n');
    tests::xc::begun(&place.folder, &id.to_string())?;
    fs::File::create(folder.join(format!("{id}.jsonl")))?.write_all(&bytes)?;
    Ok(bytes.len())
}
