//! Calls of the court's own commands by the agents that it supervises. Reading is allowed; approving is
//! reserved to the historian, by a ticket for one call; hooks must not be called by anyone.

use std::path::{Path, PathBuf};

use claude_hooks::event::ToolUse;
use gate::{Judgement, Level, Seen};
use gate_disk::{OnDisk, Session};
use serde_json::Value;

use super::program::OwnProgram;
use super::session::LOOK_UPS_MAX;
use crate::event::{HookContext, ResponseBuilder};
use crate::review;

/// Maximum number of a call's commands that are looked up on disk; manual calls have fewer.
const LOOKED_UP_MAX: usize = 64;
/// Maximum number of different folders in one call.
const FOLDERS_MAX: usize = 8;
/// Arguments by which another program's command could make the court approve.
const GRANTING: &[&str] = &["accept", "approve", "approver", "refuse", "resolve"];
/// Programs that run a program given as an argument, or type one into another terminal. The names of
/// interpreters and loaders count with any suffix (`python3.13`, `ld-linux-x86-64.so.2`).
const CARRIERS: &[&str] = &[
    "at",
    "awk",
    "batch",
    "busybox",
    "crontab",
    "dbus-run-session",
    "dbus-send",
    "deno",
    "dtach",
    "expect",
    "gawk",
    "gdb",
    "kitten",
    "kitty",
    "lldb",
    "ltrace",
    "lua",
    "make",
    "mawk",
    "node",
    "perf",
    "perl",
    "php",
    "rlwrap",
    "rr",
    "ruby",
    "screen",
    "script",
    "socat",
    "ssh",
    "strace",
    "systemd-run",
    "tclsh",
    "tmux",
    "toybox",
    "unbuffer",
    "valgrind",
    "wezterm",
    "wtype",
    "xdotool",
    "ydotool",
    "zellij",
];
const CARRIER_BEGINNINGS: &[&str] =
    &["bun", "gdb", "ld-", "ld.so", "node", "perl", "python", "qemu-"];

/// The verdict on a call as a command of the court.
pub(super) enum Own {
    /// Not a command of the court, or not only that: manifest and gate decide.
    No,
    /// Only a command of the court that needs no review under any policy.
    Free,
    /// The caller may not use it.
    Refused(String),
}

/// Looks for the court's own commands. For the historian's approval a ticket is issued.
pub(super) fn own(
    context: &HookContext<'_>,
    tool: &ToolUse,
    judgement: &Judgement,
    reply: &mut ResponseBuilder,
) -> Own {
    let program = OwnProgram::running();
    let folders = folders(context, judgement);
    let search = context.environment.text("PATH").unwrap_or_default();
    let disk = &OnDisk::new(search, context.places.answering(), LOOK_UPS_MAX, Session::default);
    let refused = |why: &str| Own::Refused(format!("Court: {} did not run. {why}", tool.name));
    let mut found = 0;
    for (number, seen) in judgement.commands.iter().enumerate() {
        let word = seen.words.first().map(String::as_str).unwrap_or_default();
        if is_own_name(word, program.as_ref()) {
            found += 1;
            if let Some(why) = refuse(context, tool, judgement, seen, reply) {
                return refused(why);
            }
        } else if number < LOOKED_UP_MAX
            && let Some(why) = disguised(seen, program.as_ref(), &folders, (search, disk))
        {
            return refused(why);
        }
    }
    if let Some(program) = &program
        && takes_along(judgement, program, &folders, disk)
    {
        return refused("It would copy the court's own program and have the copy decide.");
    }
    // The permitted decision was handled above.
    let own = |found: &gate::Finding| found.rule.id == "court.decide";
    let strict = |found: &gate::Finding| found.rule.id.starts_with("strict.");
    let harmless = |found: &gate::Finding| found.level <= Level::L1 || strict(found) || own(found);
    let alone = found == 1 && judgement.commands.len() == 1;
    if alone && judgement.findings.iter().all(harmless) { Own::Free } else { Own::No }
}

fn is_own_name(word: &str, program: Option<&OwnProgram>) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    !name.is_empty() && (name == "court" || program.and_then(OwnProgram::name) == Some(name))
}

/// The working folders of a call's commands, as far as `cd` tells.
fn folders(context: &HookContext<'_>, judgement: &Judgement) -> Vec<PathBuf> {
    let mut folders = vec![context.call.cwd.clone()];
    for seen in judgement.commands.iter().take(LOOKED_UP_MAX) {
        if let [name, .., folder] = seen.words.as_slice()
            && matches!(name.as_str(), "cd" | "pushd")
            && folders.len() < FOLDERS_MAX
        {
            let next = folders[folders.len() - 1].join(folder);
            folders.push(next);
        }
    }
    folders
}

/// Detects the court under another name, or run by another program.
fn disguised(
    seen: &Seen,
    program: Option<&OwnProgram>,
    folders: &[PathBuf],
    (search, disk): (&str, &OnDisk<'_>),
) -> Option<&'static str> {
    let (word, rest) = seen.words.split_first()?;
    let is_copy = |word: &str| {
        let named = |own: &OwnProgram, folder: &Path| own.is_named_by(word, folder, search, disk);
        program.is_some_and(|own| folders.iter().any(|folder| named(own, folder)))
    };
    if is_copy(word) {
        return Some("This is the court's own program under another name.");
    }
    let name = word.rsplit('/').next().unwrap_or_default();
    let carries = CARRIERS.contains(&name)
        || CARRIER_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    if !carries {
        return None;
    }
    let names_court = rest.iter().any(|word| is_own_name(word, program) || mentions(word, "court"));
    let grants = rest.iter().any(|word| GRANTING.iter().any(|verb| mentions(word, verb)));
    let runs_copy = || rest.iter().any(|word| word.contains('/') && is_copy(word));
    ((names_court && grants) || runs_copy())
        .then_some("It would have another program run the court.")
}

/// Whether a call names the program's file, to copy or link it, and also contains a granting
/// argument for the copy, which does not exist yet.
fn takes_along(
    judgement: &Judgement,
    program: &OwnProgram,
    folders: &[PathBuf],
    disk: &OnDisk<'_>,
) -> bool {
    let commands = || judgement.commands.iter().take(LOOKED_UP_MAX);
    let words = || commands().flat_map(|seen| seen.words.iter().skip(1));
    let is_program = |word: &String| {
        let path = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        // If there is no program where the gate expects one, the shell may find it somewhere else.
        let elsewhere = || is_own_name(path, Some(program)) && !Path::new(path).exists();
        path.contains('/')
            && folders.iter().any(|folder| {
                let path = folder.join(path);
                disk.answers(&path) && program.is_at(&path)
            })
            || path.starts_with("/usr/bin/") && elsewhere()
    };
    let grants = |seen: &Seen| {
        let Some((first, rest)) = seen.words.split_first() else { return false };
        let by_path = first.contains('/') || first.contains(Seen::UNKNOWN);
        rest.iter().any(|word| {
            GRANTING.contains(&word.as_str()) || by_path && word.contains(Seen::UNKNOWN)
        })
    };
    commands().any(grants) && words().any(is_program)
}

/// Whether a text contains this word as a whole word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').any(|part| part == word)
}

fn refuse(
    context: &HookContext<'_>,
    tool: &ToolUse,
    judgement: &Judgement,
    seen: &Seen,
    reply: &mut ResponseBuilder,
) -> Option<&'static str> {
    let words: Vec<&str> = seen.words[1..].iter().map(String::as_str).collect();
    let unknown = words.iter().any(|word| word.contains(Seen::UNKNOWN));
    let verb = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let alone = || {
        // Nothing else may be in the text: a leading variable could select other files or programs.
        let text = tool.input.get("command").and_then(Value::as_str).unwrap_or_default();
        let is_plain = text.split_ascii_whitespace().eq(seen.words.iter().map(String::as_str));
        judgement.commands.len() == 1 && seen.via.is_empty() && !unknown && is_plain
    };
    match verb {
        "hook" => Some("`court hook` is called by the client alone."),
        "approve" | "resolve" if context.is_historian() => ticket(context, &words, alone(), reply),
        "review" => ticket(context, &words, alone(), reply),
        "approve" | "resolve" => Some(
            "Approving and resolving is for the historian sub-agent, and for the user at a terminal \
             of their own.",
        ),
        "refuse" => {
            Some("Refusing is for the user, at a terminal of their own or on the daemon's page.")
        }
        "window" => Some("`court window` is for the daemon's pages: it tells of all projects."),
        "approver" if words.len() > 1 => {
            Some("The approver's key is the user's, at a terminal of their own.")
        }
        "phase" if words.len() > 1 => {
            Some("The phase is changed by the user at a terminal of their own.")
        }
        "accept" => {
            Some("The project's wishes are accepted by the user at a terminal of their own.")
        }
        "init" => Some("The court is set up by the user at a terminal of their own."),
        _ if unknown => Some("What this command of the court would do is only known when it runs."),
        _ => None,
    }
}

/// Issues a ticket for exactly these words, if they are the whole command.
fn ticket(
    context: &HookContext<'_>,
    words: &[&str],
    alone: bool,
    reply: &mut ResponseBuilder,
) -> Option<&'static str> {
    if !alone {
        return Some(
            "Run this command alone, with its arguments written out and nothing around it.",
        );
    }
    let ticket = review::digest_of_words(words);
    if let Err(error) = review::issue_ticket(context.store, ticket) {
        context.unrecorded(&error, reply);
    }
    None
}
