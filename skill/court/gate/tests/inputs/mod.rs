//! Commands for tests and for the fuzzer: those of the corpus, and what can be made of them.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

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

/// A source of numbers that is the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Xorshift.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// A random text, a mutated command, or two that are spliced.
pub(crate) fn generated(random: &mut Random, commands: &[String]) -> String {
    match random.below(3) {
        0 => pieces(random),
        1 => mutated(random, commands),
        _ => spliced(random, commands),
    }
}

/// All commands of the corpus and its rounds.
pub(crate) fn corpus() -> io::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut commands = Vec::new();
    let mut files = vec![folder.join("attacks.jsonl"), folder.join("benign.jsonl")];
    for entry in fs::read_dir(folder.join("rounds"))? {
        files.push(entry?.path());
    }
    files.sort();
    for file in files {
        for line in fs::read_to_string(file)?.lines() {
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
