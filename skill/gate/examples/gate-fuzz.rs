//! Feeds the gate with random texts and mutated commands of the corpus: `gate-fuzz [COUNT [SEED]]`. A
//! panic ends it. It prints how many inputs it judged and how long the slowest one took.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use gate::{Context, NoLinks, Policy, ToolCall, Written};
use serde_json::{Value, json};

/// Pieces that mean something to a shell, so that random texts reach deep.
const PIECES: &[&str] = &[
    "$(",
    ")",
    "${",
    "}",
    "`",
    "\"",
    "'",
    "$'",
    "\\",
    "<<E\n",
    "E\n",
    "<<<",
    "<(",
    ">(",
    "((",
    "))",
    "[[",
    "]]",
    "{",
    "{a,b}",
    "{1..9}",
    ";",
    ";;",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "\n",
    "\t",
    " ",
    "if ",
    "then ",
    "fi ",
    "for x in ",
    "do ",
    "done ",
    "case x in ",
    "esac ",
    "while ",
    "f() ",
    "function f ",
    "coproc ",
    "time ",
    "! ",
    "rm -rf ",
    "~",
    "/",
    "..",
    "*",
    "?",
    "[a-z]",
    "$x",
    "$@",
    "x=",
    "a=(",
    "sudo ",
    "env ",
    "bash -c ",
    "eval ",
    "xargs ",
    "find . -exec ",
    "base64 -d ",
    "python3 -c ",
    "awk ",
    "sed ",
    "git ",
    "tr ",
    "printf ",
    "echo -e ",
    "\\x72",
    "${x:-",
    "${x//a/",
    "${x#",
    "${!x}",
    "${#x}",
    "${x[@]}",
    "é",
    "\u{E000}",
    "\0",
    "\r\n",
    "2>&1",
    ">",
    ">>",
    "<",
    "cat ",
    "export PATH=",
    "trap ",
    "alias a=",
    "set -- ",
    "read x ",
    "source ",
    "docker run ",
    "kubectl ",
    "psql -c ",
    "curl ",
    "ssh h ",
];

struct Random(u64);

impl Random {
    /// Xorshift.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let count: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let seed: u64 =
        arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15);
    let commands = corpus()?;
    let mut random = Random(seed | 1);
    let (mut slowest, mut slowest_input) = (Duration::ZERO, String::new());
    let begun = Instant::now();
    for _ in 0..count {
        let input = match random.below(3) {
            0 => pieces(&mut random),
            1 => mutated(&mut random, &commands),
            _ => spliced(&mut random, &commands),
        };
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

fn corpus() -> io::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut commands = Vec::new();
    for file in ["attacks.jsonl", "benign.jsonl"] {
        for line in fs::read_to_string(folder.join(file))?.lines() {
            let value: Value = serde_json::from_str(line)?;
            commands.extend(value["command"].as_str().map(str::to_owned));
        }
    }
    Ok(commands)
}

fn pieces(random: &mut Random) -> String {
    let count = random.below(24);
    (0..count).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

fn boundary(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutated(random: &mut Random, commands: &[String]) -> String {
    let mut text = commands[random.below(commands.len())].clone();
    for _ in 0..=random.below(4) {
        let at = boundary(random, &text);
        match random.below(3) {
            0 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
            1 => {
                let end = boundary(random, &text);
                text.replace_range(at.min(end)..at.max(end), "");
            }
            _ => {
                let end = boundary(random, &text);
                let part = text[at.min(end)..at.max(end)].to_owned();
                text.insert_str(at, &part);
            }
        }
    }
    text
}

fn spliced(random: &mut Random, commands: &[String]) -> String {
    let (first, second) =
        (&commands[random.below(commands.len())], &commands[random.below(commands.len())]);
    let (head, tail) = (boundary(random, first), boundary(random, second));
    format!("{}{}{}", &first[..head], PIECES[random.below(PIECES.len())], &second[tail..])
}

fn judge(command: &str) {
    let written =
        [Written { path: "/home/dev/app/run.sh".to_owned(), content: Some(command.to_owned()) }];
    let context = Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        written: &written,
        links: &NoLinks,
    };
    let input = json!({ "command": command });
    std::hint::black_box(gate::judge(
        &ToolCall { name: "Bash", input: &input },
        &context,
        Policy::Graded,
    ));
}
