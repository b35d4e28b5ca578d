//! Feeds the gate with random texts and mutated commands of the corpus: `gate-fuzz [COUNT [SEED]]`. A
//! panic ends it. It prints how many inputs it judged and how long the slowest one took.

use std::env;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use gate::{Context, Policy, ToolCall, Written};
use inputs::Random;
use serde_json::json;

#[path = "../tests/inputs/mod.rs"]
mod inputs;

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let count: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let seed: u64 =
        arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15);
    let commands = inputs::corpus()?;
    let mut random = Random::new(seed);
    let (mut slowest, mut slowest_input) = (Duration::ZERO, String::new());
    let begun = Instant::now();
    for _ in 0..count {
        let input = inputs::generated(&mut random, &commands);
        let started = Instant::now();
        judge(&input);
        if started.elapsed() > slowest {
            slowest = started.elapsed();
            slowest_input = input;
        }
    }
    let took = begun.elapsed();
    let mut output = io::stdout().lock();
    writeln!(
        output,
        "{count} inputs without a panic in {took:.1?}; the slowest took {slowest:.1?}: {slowest_input:?}"
    )
}

fn judge(command: &str) {
    let written = vec![Written {
        path: "/home/dev/app/run.sh".to_owned(),
        content: Some(command.to_owned()),
    }];
    let context = Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk: &written,
    };
    let input = json!({ "command": command });
    std::hint::black_box(gate::judge(
        &ToolCall { name: "Bash", input: &input },
        &context,
        Policy::Graded,
    ));
}
