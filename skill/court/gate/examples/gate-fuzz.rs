//! Feeds the gate with random texts and mutated commands of the corpus, and with random files that runners read:
//! `gate-fuzz [COUNT [SEED]]`. A panic ends it. It prints how many inputs it judged, how many of them were over a
//! limit, and how long the slowest one took.

use std::env;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use gate::{Outcome, Written};
use inputs::Random;

#[path = "../tests/inputs/mod.rs"]
mod inputs;
#[path = "../tests/inputs/project.rs"]
mod project;
#[path = "../tests/shell/mod.rs"]
mod shell;

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let count: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let seed: u64 =
        arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15);
    let commands = inputs::corpus()?;
    let mut random = Random::new(seed);
    let (mut slowest, mut slowest_input) = (Duration::ZERO, (String::new(), String::new()));
    let mut over = 0_u64;
    let begun = Instant::now();
    for number in 0..count {
        let (path, content, command) = if number % 2 == 0 {
            let command = inputs::generated(&mut random, &commands);
            ("run.sh", command.clone(), command)
        } else {
            let (path, content, command) = project::project(|end| random.below(end), &commands);
            (path, content, command.to_owned())
        };
        let started = Instant::now();
        over += u64::from(judge(path, &content, &command) != Outcome::Judged);
        if started.elapsed() > slowest {
            // A second time, so that what else the machine did does not count.
            let again = Instant::now();
            judge(path, &content, &command);
            let took = again.elapsed();
            if took > slowest {
                slowest = took;
                slowest_input = (content, command);
            }
        }
    }
    let took = begun.elapsed();
    let mut output = io::stdout().lock();
    writeln!(
        output,
        "{count} inputs without a panic in {took:.1?}, {over} not judged; the slowest took {slowest:.1?}: {slowest_input:?}"
    )
}

fn judge(path: &str, content: &str, command: &str) -> Outcome {
    let written =
        vec![Written { path: format!("/home/dev/app/{path}"), content: Some(content.to_owned()) }];
    shell::judge(command, &written).outcome
}
