//! The cost of code context for a prompt: the same run with it and without, in alternation, in a tree of 100,000 lines
//! with an up-to-date index.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use mock_model::{Reply, Turn};

use super::WARM_UP;
use super::place::Place;
use crate::service::{Goal, Row, Samples};

/// The time that it may add to a run, in milliseconds.
const ADDED_MAX: f64 = 60.0;
/// The number of files in the tree, and of functions in each; a function has seven lines.
const FILES: usize = 1_000;
const FUNCTIONS: usize = 15;
/// The number of files per folder.
const FOLDER: usize = 50;

/// The parts of names, so that the words of a prompt are in some files and not in all.
const VERBS: [&str; 8] = ["parse", "load", "merge", "check", "render", "store", "route", "retry"];
const NOUNS: [&str; 10] = [
    "config", "header", "session", "index", "token", "invoice", "socket", "cache", "report",
    "queue",
];

/// The prompts, in both languages.
const PROMPTS: [&str; 4] = [
    "fix the bug in render_cache_412: the total is wrong when the list is empty",
    "where is the session header parsed, and who calls it?",
    "修复 store_invoice_77 的错误：列表为空时结果不对",
    "缓存在哪里写入？重试失败时会怎样？",
];

/// Measures the time that code context adds.
pub(super) async fn measure(xc: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(xc, Reply::Turn(Turn::text("Hello."))).await?;
    let lines = tree(&place)?;
    let first = place.run(&["-p", PROMPTS[0]]).await?;
    let (mut with, mut added, mut found) = (Vec::new(), Vec::new(), 0);
    for (round, prompt) in PROMPTS.iter().cycle().take(rounds + WARM_UP).enumerate() {
        let without = place.run(&["-p", "--no-context", prompt]).await?;
        ensure!(!has_context(&place)?, "code went with a prompt although that was switched off");
        let took = place.run(&["-p", prompt]).await?;
        found += usize::from(has_context(&place)?);
        if round >= WARM_UP {
            with.push(took);
            added.push(took.saturating_sub(without));
        }
    }
    ensure!(found == rounds + WARM_UP, "{found} of {} prompts had code", rounds + WARM_UP);
    let (with, added) = (Samples::of(with), Samples::of(added));
    Ok(vec![
        Row::told(
            format!("`xc -p`, one answer, the first look at {lines} lines"),
            format!("{:.0} ms", millis(first)),
        ),
        Row::times("the same, warm", &with),
        Row::times("added by the code that goes with the prompt", &added).with(Goal::at_most(
            added.median(),
            ADDED_MAX,
            "ms",
        )),
    ])
}

/// Whether the last prompt had code context.
fn has_context(place: &Place) -> anyhow::Result<bool> {
    let request = place.mock.requests().pop().context("no request")?;
    Ok(String::from_utf8_lossy(&request.body).contains("[Auto Tools]"))
}

/// Writes the tree; returns its number of lines.
fn tree(place: &Place) -> anyhow::Result<usize> {
    let mut lines = 0;
    for file in 0..FILES {
        let folder = format!("src/part{}", file / FOLDER);
        std::fs::create_dir_all(place.folder.work().join(&folder))?;
        let mut text = String::new();
        for function in 0..FUNCTIONS {
            let number = file * FUNCTIONS + function;
            let (verb, noun) = (VERBS[number % VERBS.len()], NOUNS[number / 3 % NOUNS.len()]);
            let called = VERBS[(number + 3) % VERBS.len()];
            write!(
                text,
                "/// Will {verb} one {noun}, and {called} what follows.\n\
                 pub fn {verb}_{noun}_{number}(values: &[u64]) -> Option<u64> {{\n    \
                 let first = values.first()?;\n    let rest = values.iter().skip(1).sum::<u64>();\n    \
                 Some(first.wrapping_mul({number}).wrapping_add(rest))\n}}\n\n"
            )?;
        }
        lines += text.lines().count();
        std::fs::write(
            place.folder.work().join(format!("{folder}/{}_{file}.rs", NOUNS[file % 10])),
            text,
        )?;
    }
    Ok(lines)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
