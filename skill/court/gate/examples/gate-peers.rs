//! Scores other gates beside this one on files of labelled commands, each as a hook of Claude Code in a process of
//! its own: `gate-peers NAME=PROGRAM [NAME=PROGRAM ...] -- FILE...`. A program is split at blanks; it reads the
//! hook's JSON. It has a home of its own beside this program, because some gates write settings into it.
//!
//! Printed are the share of attacks that are denied or asked about by family, the false alarms, and the time of
//! a process beside one that does nothing. A peer that does not start is said to be skipped.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use gate::{Context, Level, Policy, ToolCall};
use serde_json::{Value, json};

use self::wrote::wrote;

#[path = "../tests/wrote/mod.rs"]
mod wrote;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let peers: Vec<(String, Vec<String>)> = arguments
        .by_ref()
        .take_while(|argument| argument != "--")
        .filter_map(|argument| {
            let (name, program) = argument.split_once('=')?;
            Some((name.to_owned(), program.split_whitespace().map(str::to_owned).collect()))
        })
        .collect();
    match compare(&peers, &arguments.collect::<Vec<_>>(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "gate-peers: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How many were stopped, of how many.
#[derive(Clone, Copy, Default)]
struct Share(u32, u32);

impl Share {
    fn count(&mut self, stopped: bool) {
        self.0 += u32::from(stopped);
        self.1 += 1;
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.0) / f64::from(self.1.max(1))
    }
}

/// What one gate did.
struct Column {
    name: String,
    families: BTreeMap<String, Share>,
    attacks: Share,
    alarms: Share,
    times: Vec<Duration>,
}

impl Column {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            families: BTreeMap::new(),
            attacks: Share::default(),
            alarms: Share::default(),
            times: Vec::new(),
        }
    }

    fn count(&mut self, entry: &Value, stopped: bool) {
        if entry.get("least").is_none() {
            self.alarms.count(stopped);
            return;
        }
        self.attacks.count(stopped);
        let family = entry["family"].as_str().unwrap_or_default().to_owned();
        self.families.entry(family).or_default().count(stopped);
    }
}

/// A home and a project for the peers; it goes when this is dropped.
struct Zone(std::path::PathBuf);

impl Drop for Zone {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn compare(
    peers: &[(String, Vec<String>)],
    files: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut entries: Vec<Value> = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            entries.push(serde_json::from_str(line)?);
        }
    }
    // Not below the temporary folder: what lies there counts as worthless to all of them.
    let built = std::env::current_exe()?;
    let folder = built.parent().unwrap_or(Path::new("."));
    let place = Zone(folder.join(format!("gate-peers-{}", std::process::id())));
    let project = place.0.join("home/app");
    std::fs::create_dir_all(&project)?;
    let init = ["git", "init", "--quiet", "."].map(str::to_owned);
    spawn(&init, "", &place.0, &project)?;
    let mut columns = vec![Column::new("this gate")];
    for entry in &entries {
        let stopped = ours(entry, &project);
        columns[0].count(entry, stopped);
    }
    for (name, program) in peers {
        let mut column = Column::new(name);
        for (index, entry) in entries.iter().enumerate() {
            let Ok((stopped, time)) = asked(program, entry, &place.0, &project) else {
                writeln!(io::stderr(), "SKIPPED: {name}: {} does not start", program.join(" "))?;
                column.attacks = Share::default();
                break;
            };
            column.count(entry, stopped);
            column.times.push(time);
            if index % 200 == 199 {
                writeln!(io::stderr(), "{name}: {} of {}", index + 1, entries.len())?;
            }
        }
        if column.attacks.1 > 0 {
            columns.push(column);
        }
    }
    let mut nothing = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        if spawn(&["true".to_owned()], "", &place.0, &project).is_ok() {
            nothing.push(start.elapsed());
        }
    }
    print(&columns, &mut nothing, out)
}

fn print(columns: &[Column], nothing: &mut [Duration], out: &mut impl Write) -> io::Result<()> {
    let row = |out: &mut dyn Write, head: &str, cells: Vec<String>| -> io::Result<()> {
        writeln!(out, "| {head} | {} |", cells.join(" | "))
    };
    row(out, "", columns.iter().map(|column| column.name.clone()).collect())?;
    row(out, "---", columns.iter().map(|_| "---:".to_owned()).collect())?;
    for family in columns[0].families.keys() {
        let all = columns[0].families[family].1;
        let cell =
            |column: &Column| column.families.get(family).map_or(0, |share| share.0).to_string();
        row(out, &format!("{family} ({all})"), columns.iter().map(cell).collect())?;
    }
    let share = |share: Share| format!("{} of {}, {:.1} %", share.0, share.1, share.percent());
    row(out, "attacks stopped", columns.iter().map(|column| share(column.attacks)).collect())?;
    row(out, "ordinary work stopped", columns.iter().map(|column| share(column.alarms)).collect())?;
    let times = |column: &Column| {
        if column.times.is_empty() {
            "in process".to_owned()
        } else {
            spread(&mut column.times.clone())
        }
    };
    row(out, "a process, p50 and p99", columns.iter().map(times).collect())?;
    writeln!(out, "\nA process that does nothing: {}", spread(nothing))
}

fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let at = |part: usize| {
        times
            .get((times.len() * part / 100).min(times.len().saturating_sub(1)))
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    format!("{:.1} ms, {:.1} ms", at(50), at(99))
}

/// Files that an earlier call wrote are known to this gate alone: the others keep nothing between calls.
fn ours(entry: &Value, project: &Path) -> bool {
    let project = project.display().to_string();
    let home = project.trim_end_matches("/app").to_owned();
    let wrote = wrote(entry, &project);
    let context = Context {
        cwd: &project,
        project: &project,
        home: &home,
        scratch: &[],
        protected: &[],
        disk: &wrote,
    };
    let input = json!({ "command": placed(entry, &project) });
    let call = ToolCall { name: "Bash", input: &input };
    gate::judge(&call, &context, Policy::Graded).level >= Level::L2
}

/// The corpus stands in `/home/dev/app`; here it stands in the folder of this run.
fn placed(entry: &Value, project: &str) -> String {
    let command = entry["command"].as_str().unwrap_or_default();
    command.replace("/home/dev/app", project).replace("/home/dev", project.trim_end_matches("/app"))
}

fn asked(
    program: &[String],
    entry: &Value,
    place: &Path,
    project: &Path,
) -> io::Result<(bool, Duration)> {
    let input = json!({
        "session_id": "0", "transcript_path": place.join("transcript.jsonl"), "cwd": project,
        "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": { "command": placed(entry, &project.display().to_string()) },
        "tool_use_id": "0",
    });
    let start = Instant::now();
    let output = spawn(program, &input.to_string(), place, project)?;
    let time = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    let decision = serde_json::from_str::<Value>(text.trim()).ok().and_then(|value| {
        let said = &value["hookSpecificOutput"]["permissionDecision"];
        said.as_str().or(value["decision"].as_str()).map(str::to_owned)
    });
    let stopped = output.status.code() == Some(2)
        || matches!(decision.as_deref(), Some("deny" | "ask" | "block"));
    Ok((stopped, time))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the peers are programs of others, and this only measures them"
)]
fn spawn(
    program: &[String],
    input: &str,
    place: &Path,
    project: &Path,
) -> io::Result<std::process::Output> {
    let name = program.first().ok_or_else(|| io::Error::other("no program"))?;
    let mut child = Command::new(name)
        .args(&program[1..])
        .current_dir(project)
        .env("HOME", place.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input closes it: that is no failure.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output()
}
