//! Resuming a session whose journal has 10 MB, as after a long day: most of it is summarised.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use contract::id::SessionId;
use contract::xc::{Call, CallStatus, Entry, Header, Line};
use mock_model::{Hang, Reply, Turn};
use serde_json::json;

use super::place::Place;
use super::{RESUME_MAX, WARM_UP};
use crate::service::{Goal, Row, Samples, machine};

/// The size of the journal, in bytes.
const SIZE: usize = 10 << 20;
/// The size of a result, in bytes.
const RESULT: usize = 8 << 10;
/// The time limit until a run sends its request.
const LIMIT: Duration = Duration::from_secs(60);

/// The time that the long journal adds to a run, and the memory it needs.
pub(super) async fn measure(xc: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let fresh = Place::new(xc, Reply::Turn(Turn::text("Hello."))).await?;
        let short = fresh.run(&["-p", "hello"]).await?;
        let place = Place::new(xc, Reply::Turn(Turn::text("Hello."))).await?;
        write_journal(&place)?;
        let long = place.run(&["-p", "--resume", "hello"]).await?;
        let request = place.mock.requests().pop().context("no request")?;
        let body = String::from_utf8_lossy(&request.body).into_owned();
        ensure!(body.contains("So far: all."), "the past is not in the request");
        if round >= WARM_UP {
            without.push(short);
            with.push(long);
        }
    }
    let (without, with) = (Samples::of(without), Samples::of(with));
    let added = with.median() - without.median();
    let (added_max, memory_max) = RESUME_MAX;
    let memory = memory(xc).await?;
    Ok(vec![
        Row::times("`xc -p`, one answer", &without),
        Row::times("the same behind a journal of 10 MB", &with),
        Row::told("added by the journal", format!("{added:.2} ms (between the medians)"))
            .with(Goal::at_most(added, added_max, "ms")),
        Row::told("peak memory with it", format!("RSS {memory:.1} MB"))
            .with(Goal::at_most(memory, memory_max, "MB")),
    ])
}

/// The peak memory until the request is sent.
async fn memory(xc: &Path) -> anyhow::Result<f64> {
    let place = Place::new(xc, Reply::Hang(Hang::BeforeHeaders)).await?;
    write_journal(&place)?;
    let mut child = place.command(&["-p", "--resume", "hello"]).spawn()?;
    let pid = child.id().context("it has ended")?;
    let begun = Instant::now();
    while place.mock.request_count() == 0 {
        ensure!(begun.elapsed() < LIMIT, "the model was not asked");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let peak = machine::peak_mb(pid)?;
    child.kill().await?;
    Ok(peak)
}

fn write_journal(place: &Place) -> anyhow::Result<()> {
    let folder = place.folder.work().join(".x-code/sessions");
    std::fs::create_dir_all(&folder)?;
    let (id, at) = (SessionId::generate(), "2026-11-22T20:15:00.123Z");
    let cwd = place.folder.work().canonicalize()?.display().to_string();
    let mut bytes = serde_json::to_vec(&Header::new(id, cwd, "0.1.0".into(), at.into()))?;
    let text = "fn main() { println!(\"any \\ text\"); } // 任何文字\n".repeat(RESULT / 52);
    let mut n = 0;
    let mut add = |bytes: &mut Vec<u8>, entry: Entry| -> anyhow::Result<()> {
        n += 1;
        bytes.push(b'\n');
        bytes.extend(serde_json::to_vec(&Line { n, at: at.into(), entry })?);
        Ok(())
    };
    add(&mut bytes, Entry::User { text: "a long day".into(), told: String::new() })?;
    let mut step = 0;
    while bytes.len() < SIZE {
        step += 1;
        let call = format!("call_{step}");
        let input = json!({ "filePath": format!("src/file_{step}.rs") });
        let calls = vec![Call { id: call.clone(), tool: "readFile".into(), input }];
        let (model, said) = ("custom:scripted".into(), "I look.".into());
        add(
            &mut bytes,
            Entry::Assistant { model, text: said, reasoning: None, opaque: None, calls },
        )?;
        let (status, text) = (CallStatus::Ok, text.clone());
        let (changed, command) = (vec![], None);
        let result = Entry::Result { id: call, status, text, truncated: false, changed, command };
        add(&mut bytes, result)?;
    }
    let kept_from = 2 * step - 3;
    let summary = "So far: all.".into();
    add(&mut bytes, Entry::Compact { summary, before: 3_000_000, after: 9_000, kept_from })?;
    bytes.push(b'\n');
    tests::xc::begun(&place.folder, &id.to_string())?;
    std::fs::File::create(folder.join(format!("{id}.jsonl")))?.write_all(&bytes)?;
    Ok(())
}
