//! Pure functions in the path of each request, called in this process. `cargo bench -p redact` measures the
//! redactor in more detail.

use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use contract::advice::{Asked, parse_advice};
use contract::input::{Phase, parse_input};
use redact::Redactor;
use serde_json::{Value, json};

use super::report::{Goal, Row};
use super::samples::Samples;

const QUESTION: &str = include_str!("../../../../schemas/examples/valid/initial.json");
const ADVICE: &str = include_str!("../../../../schemas/examples/valid/advice-initial.json");

/// The length for which the redactor's time limit is guaranteed, in bytes.
const LENGTH: usize = 12_000;

/// The longest time for that, in milliseconds.
const REDACTION_MAX: f64 = 2.0;

pub(super) fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let plain = text(None);
    // Joined here, so that no file contains the whole secret.
    let secret = format!("\nGITHUB_TOKEN={}{}\n", "ghp_", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaE5u");
    let secrets = text(Some(&secret));
    let redactor = Redactor::new();
    let first = Samples::of([timed(|| redactor.redact(&secrets))]);
    ensure!(redactor.redact(&secrets).counts.values().sum::<u32>() > 5, "a secret was missed");
    let clean = repeated(count, || redactor.redact(&plain));
    let dirty = repeated(count, || redactor.redact(&secrets));

    let question = padded();
    ensure!(parse_input(question.as_bytes()).is_ok(), "the example is not valid");
    let parse = repeated(count, || parse_input(question.as_bytes()));
    let broken = question.replace("\"phase\"", "\"phrase\"");
    ensure!(parse_input(broken.as_bytes()).is_err(), "the broken example is valid");
    let refuse = repeated(count, || parse_input(broken.as_bytes()));

    let plans = parse_input(QUESTION.as_bytes()).map(|input| input.candidate_plans);
    let plans: Vec<String> = plans.unwrap_or_default().into_iter().map(|plan| plan.name).collect();
    let asked = Asked::new(Phase::Initial, &plans);
    ensure!(parse_advice(ADVICE, asked).is_ok(), "the example is not valid");
    let advice = repeated(count, || parse_advice(ADVICE, asked));
    Ok(vec![
        redaction("redaction of 12 kB, the first in a process", &first),
        redaction("redaction of 12 kB without a secret", &clean),
        redaction("redaction of 12 kB with a secret in each kB", &dirty),
        Row::times("reading a valid question of 12 kB", &parse),
        Row::times("reading the same with a misspelt field", &refuse),
        Row::times(format!("reading advice of {} bytes", ADVICE.len()), &advice),
    ])
}

fn redaction(what: &str, times: &Samples) -> Row {
    Row::times(what, times).with(Goal::at_most(times.percentile(99), REDACTION_MAX, "ms (p99)"))
}

/// The example repeated to the length, with a text inserted every 1,000 bytes.
fn text(put_in: Option<&str>) -> String {
    let mut text = String::new();
    for line in QUESTION.lines().cycle() {
        if text.len() >= LENGTH {
            break;
        }
        let before = text.len() / 1000;
        text.push_str(line);
        if text.len() / 1000 > before {
            text.push_str(put_in.unwrap_or("\n"));
        }
    }
    text
}

/// The example with a context that makes it 12 kB long.
fn padded() -> String {
    let mut question: Value = serde_json::from_str(QUESTION).expect("the example is JSON");
    let missing = LENGTH.saturating_sub(question.to_string().len());
    let context = question["context"].as_str().unwrap_or_default();
    question["context"] = json!(context.chars().cycle().take(missing).collect::<String>());
    question.to_string()
}

fn repeated<T>(count: usize, mut work: impl FnMut() -> T) -> Samples {
    Samples::of((0..count).map(|_| timed(&mut work)))
}

fn timed<T>(work: impl FnOnce() -> T) -> std::time::Duration {
    let begun = Instant::now();
    black_box(work());
    begun.elapsed()
}
