//! The court's hook: what it adds to a tool call, and to the end of a turn with a long transcript. For comparison,
//! third-party hooks for the same event, and one for Node.js that only looks up a tool in a table.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use host::find_program;
use serde_json::{Value, json};

use crate::service::{Goal, Row};

use super::measured::{Measured, Program, measure};
use super::place::{PATH, Place};
use super::progress;

/// The median time that a call may cost more than a process that does nothing, in milliseconds.
const OVER_MEDIAN_MAX: f64 = 3.0;
/// The same for the 99th percentile.
const OVER_P99_MAX: f64 = 10.0;
/// The largest size of the program in bytes.
const SIZE_MAX: f64 = 5_000_000.0;
/// The median time for the packet of facts of a long session, in milliseconds.
const PACKET_MAX: f64 = 500.0;
/// The length of that session's transcript, in bytes.
const RECORD: u64 = 100_000_000;
/// Common calls: a read, a build, an edit, a commit whose message names a dangerous command.
const COMMANDS: [&str; 4] = [
    "git status --short && rg -n 'fn main' src | head -20",
    "cargo build --release 2>&1 | tail -5",
    "for f in src/*.rs; do wc -l \"$f\"; done | sort -n",
    "git commit -m 'never run rm -rf / again'",
];
/// A table of tools in a script, as a simple hook has it.
const SCRIPT: &str = "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n\
    const high = ['Bash', 'WebFetch'];\n\
    if (high.includes(call.tool_name) && / -rf /.test(JSON.stringify(call.tool_input)) && false) {\n\
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse' } }));\n}\n";

/// The rows about the program at `court`.
pub(super) fn rows(
    court: &Path,
    tree: &Path,
    tools: &Path,
    rounds: usize,
) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(&[(court, "court")], tree)?;
    let project = place.work().join("project");
    fs::create_dir_all(&project)?;
    let place = place.at(&project);
    let calls: Vec<Vec<u8>> = COMMANDS.iter().map(|command| call(&project, command)).collect();
    let ours = Program {
        path: place.program("court"),
        args: vec!["hook".to_owned()],
        env: vec![("CLAUDE_PROJECT_DIR".to_owned(), project.display().to_string())],
    };
    let way = |what: &str, program: Program| Measured::fed(what, program, &place, calls.clone());
    let nothing = place.nothing()?.context("the court is held against a C program: install cc")?;
    let mut ways = vec![
        way("a C program that does nothing", nothing),
        way("court, a shell call", ours.clone()),
    ];
    ways.extend(peers(tools, &place)?.into_iter().map(|(what, program)| way(&what, program)));
    measure(&mut ways, rounds)?;

    let bytes = fs::metadata(court)?.len() as f64;
    let size = Row::told("size of `court`", format!("{:.2} MB", bytes / 1e6));
    let mut rows = vec![size.with(Goal::at_most(bytes / 1e6, SIZE_MAX / 1e6, "MB"))];
    rows.extend(ways.iter().map(|way| Row::times(way.what.clone(), &way.samples())));
    let (none, court) = (ways[0].samples(), ways[1].samples());
    for (what, value, limit) in [
        ("median", court.median() - none.median(), OVER_MEDIAN_MAX),
        ("p99", court.percentile(99) - none.percentile(99), OVER_P99_MAX),
    ] {
        let row = Row::told(format!("court over the C program, {what}"), format!("{value:.2} ms"));
        rows.push(row.with(Goal::at_most(value, limit, "ms")));
    }
    rows.push(packet(&place, &ours, rounds.min(30))?);
    Ok(rows)
}

/// The end of a turn with a long transcript.
fn packet(place: &Place, court: &Program, rounds: usize) -> anyhow::Result<Row> {
    let record = place.work().join("record.jsonl");
    write_record(&record)?;
    let stop = json!({
        "session_id": "00000000-0000-4000-8000-000000000002",
        "transcript_path": record,
        "cwd": place.tree,
        "permission_mode": "default",
        "hook_event_name": "Stop",
        "stop_hook_active": false,
        "last_assistant_message": "Done.",
    });
    let mut ways = [Measured::fed("court, a stop", court.clone(), place, vec![line(&stop)])];
    measure(&mut ways, rounds)?;
    let packets = place.tree.join(".claude/historian/packets");
    ensure!(packets.read_dir()?.next().is_some(), "no packet in {}", packets.display());
    let samples = ways[0].samples();
    let value = samples.median();
    let row = Row::times("court, the packet of facts of a record of 100 MB", &samples);
    Ok(row.with(Goal::at_most(value, PACKET_MAX, "ms")))
}

/// A session of edits and commands, in the format of the client 2.1.197.
fn write_record(path: &Path) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let content = "x".repeat(2_000);
    for turn in 0.. {
        let id = format!("toolu_{turn:08}");
        let lines = [
            json!({ "type": "assistant", "uuid": format!("a{turn}"), "message": { "id": format!("m{turn}"),
                "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Read",
                "input": { "file_path": format!("/src/{turn}.rs") } }] } }),
            json!({ "type": "user", "uuid": format!("u{turn}"), "message": { "role": "user", "content":
                [{ "type": "tool_result", "tool_use_id": id, "content": content }] } }),
        ];
        for entry in &lines {
            let line = line(entry);
            out.write_all(&line)?;
            written += line.len() as u64;
        }
        if written > RECORD {
            break;
        }
    }
    Ok(out.flush()?)
}

/// The installed third-party hooks.
fn peers(tools: &Path, place: &Place) -> anyhow::Result<Vec<(String, Program)>> {
    let mut peers = Vec::new();
    let Some(node) = find_program("node", PATH.as_ref()) else {
        progress("SKIPPED: no Node.js, so no hook in a script and no cc-safety-net");
        return Ok(peers);
    };
    let script = place.work().join("hook.js");
    fs::write(&script, SCRIPT)?;
    let program = |path: PathBuf, args: &[&str]| Program {
        path,
        args: args.iter().map(|&word| word.to_owned()).collect(),
        env: Vec::new(),
    };
    let table = program(node, &[&script.display().to_string()]);
    peers.push(("a script for Node.js that looks the tool up".to_owned(), table));
    let tools = tools.canonicalize().unwrap_or_else(|_| tools.to_owned());
    let net = tools.join("cc-safety-net/node_modules/.bin/cc-safety-net");
    if net.exists() {
        let net = program(net, &["hook", "--claude-code"]);
        peers.push(("cc-safety-net 2.4.5".to_owned(), net));
    } else {
        progress(format!("SKIPPED: cc-safety-net is not installed: {}", net.display()));
    }
    Ok(peers)
}

/// The input of a hook before a shell call, as Claude Code writes it.
fn call(project: &Path, command: &str) -> Vec<u8> {
    line(&json!({
        "session_id": "00000000-0000-4000-8000-000000000002",
        "transcript_path": "/nonexistent/transcript.jsonl",
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command, "description": "a command" },
        "tool_use_id": "toolu_1",
    }))
}

fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}
