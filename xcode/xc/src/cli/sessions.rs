//! `xc sessions`: lists, shows and removes this folder's sessions.

use agent::sessions::{self, Listed, Shown};
use agent::{JournalError, Places};
use contract::id::SessionId;
use contract::xc::{Entry, SessionSummary};
use host::{Environment, ErrorChain, streams};
use serde_json::json;

use super::args::{SessionsArgs, SessionsCommand};
use crate::exit::Exit;

/// The longest line of a message that is shown, in characters.
const LINE_CHARS: usize = 200;

/// Runs the command.
pub(super) fn run(environment: &Environment, args: &SessionsArgs) -> Exit {
    let Some(home) = environment.folder(host::environment::HOME) else {
        streams::note("xc: HOME does not name a folder");
        return Exit::Usage;
    };
    let places = Places::new(home, environment.working_dir());
    let done = match args.command.as_ref().unwrap_or(&SessionsCommand::List) {
        SessionsCommand::List => sessions::list(&places).map(|all| list(&all, args)),
        SessionsCommand::Show { id } => sessions::show(&places, *id).map(|one| show(&one, args)),
        SessionsCommand::Rm { id } => sessions::remove(&places, *id).map(|()| removed(*id, args)),
    };
    match done {
        Ok(()) => Exit::Answered,
        Err(error) => {
            streams::note(&format!("xc: {}", ErrorChain(&error)));
            exit(&error)
        }
    }
}

/// Whether the command line is wrong or this machine failed.
fn exit(error: &JournalError) -> Exit {
    match error {
        JournalError::NoSession
        | JournalError::Brought { .. }
        | JournalError::Unknown { .. }
        | JournalError::Live { .. } => Exit::Usage,
        _ => Exit::Internal,
    }
}

fn list(all: &[Listed], args: &SessionsArgs) {
    if args.json {
        let one = |listed: &Listed| json!({ "live": listed.is_live, "own": listed.is_own, "summary": listed.summary });
        let document = json!({ "sessions": all.iter().map(one).collect::<Vec<_>>() });
        return streams::print_json(&format!("{document:#}"));
    }
    if all.is_empty() {
        return streams::print("No session was begun in this folder.");
    }
    for Listed { summary, is_live, is_own } in all {
        let status = if *is_live { "open" } else { summary.status.as_str() };
        let SessionSummary { id, title, ended_at, .. } = summary;
        let brought = if *is_own { "" } else { "  (not begun by you: came with the folder)" };
        let (at, title) = (minute(ended_at), line(title));
        streams::print(&format!("{id}  {at}  {status:11}  {title}{brought}"));
    }
}

fn show(shown: &Shown, args: &SessionsArgs) {
    let Shown { summary, lines, unreadable } = shown;
    if args.json {
        let document = json!({ "summary": summary, "lines": lines, "unreadable": unreadable });
        return streams::print_json(&format!("{document:#}"));
    }
    streams::print(&format!("{}  {}", summary.id, line(&summary.title)));
    streams::print(&format!(
        "{}, {} to {}",
        summary.status.as_str(),
        summary.started_at,
        summary.ended_at
    ));
    let parts = [
        ("changed", &summary.files_modified),
        ("done", &summary.key_results),
        ("left to do", &summary.pending_work),
    ];
    for (name, items) in parts {
        items.iter().for_each(|item| streams::print(&format!("{name}: {}", line(item))));
    }
    for one in lines {
        if let Some(text) = entry(&one.entry) {
            streams::print(&format!("{}  {text}", minute(&one.at)));
        }
    }
    if *unreadable > 0 {
        streams::note(&format!("xc: {unreadable} lines of the journal cannot be read"));
    }
}

fn removed(id: SessionId, args: &SessionsArgs) {
    if args.json {
        return streams::print_json(&json!({ "removed": id }).to_string());
    }
    streams::print(&format!("removed {id}"));
}

/// The text of a journal entry for display.
fn entry(entry: &Entry) -> Option<String> {
    Some(match entry {
        Entry::User { text, .. } => format!("user: {}", line(text)),
        Entry::Assistant { text, calls, .. } => {
            let tools: Vec<&str> = calls.iter().map(|call| &*call.tool).collect();
            let calls = match tools.is_empty() {
                true => String::new(),
                false => format!(" [{}]", tools.join(", ")),
            };
            format!("model: {}{calls}", line(text))
        }
        Entry::Result { status, .. } => format!("  {}", status.as_str()),
        Entry::Compact { before, after, .. } => format!("compacted: {before} tokens to {after}"),
        Entry::Model { from, to, why } => format!("{to} went on for {from}: {}", line(why)),
        Entry::Note { text, .. } => format!("note: {}", line(text)),
        Entry::Task { task, command, ended } => {
            let state =
                ended.as_deref().map_or("begun".to_owned(), |ended| format!("ended, {ended}"));
            format!("task {task} {state}: {}", line(command))
        }
        Entry::End { reason } => format!("end: {}", reason.as_str()),
        _ => return None,
    })
}

/// The first line of a text, truncated.
fn line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line.to_owned(),
    }
}

/// A point in time as `2026-11-22 10:15`.
fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}
