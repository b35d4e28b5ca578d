//! The client that is installed, and the one whose record lies here, against the one that hooks, transcript words
//! and fields were proven with.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use claude_hooks::client::{PROGRAM, PROVEN, Standing, Version, version_of};
use claude_hooks::transcript::{Entry, Tail};
use host::find_program;
use serde_json::Value;

use super::context::CliContext;
use crate::review;

/// How much of the newest record's end is read, in bytes.
const RECORD_MAX: u64 = 1 << 20;

/// What was found out: each with whether it is as it was proven.
pub(super) fn look(desk: &CliContext) -> Vec<(Proven, String)> {
    let mut found = vec![installed(desk)];
    found.extend(newest_record(desk).and_then(|record| understood(&record)));
    found
}

/// Whether something is as the tests have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proven {
    /// It is.
    Yes,
    /// It is another, or not known.
    No,
}

fn installed(desk: &CliContext) -> (Proven, String) {
    // What a tool of the client runs may not choose a program for us to start.
    if review::inside_client(&desk.environment) {
        let text =
            format!("proven with Claude Code {PROVEN}; in a terminal of yours it is compared");
        return (Proven::Yes, text);
    }
    let path = desk.environment.text("PATH").unwrap_or_default();
    let Some(program) = find_program(PROGRAM, OsStr::new(path)) else {
        return (Proven::No, format!("no `{PROGRAM}` on PATH; proven with Claude Code {PROVEN}"));
    };
    match version_of(&program, OsStr::new(path), &desk.places.home) {
        Ok(version) => told(version, ""),
        Err(error) => (Proven::No, format!("{}: {error}", program.display())),
    }
}

fn told(version: Version, of: &str) -> (Proven, String) {
    let text = format!("{of}{}", version.told());
    match version.standing() {
        Standing::Proven => (Proven::Yes, text),
        Standing::Newer | Standing::Older => {
            let text = format!(
                "{text}: hooks, transcript words and fields may differ; `court status` tells what was seen to work"
            );
            (Proven::No, text)
        }
    }
}

/// The record of this project that was written to last.
fn newest_record(desk: &CliContext) -> Option<PathBuf> {
    // The client 2.1.197 names the folder so.
    let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '-' };
    let name: String = desk.places.project.to_str()?.chars().map(plain).collect();
    let folder = desk.places.client_config.join("projects").join(name);
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let records = files.filter(|path| path.extension() == Some(OsStr::new("jsonl")));
    let dated = records.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)));
    dated.max().map(|(_, path)| path)
}

/// Whether the end of a record is understood, and which client wrote it.
fn understood(record: &Path) -> Option<(Proven, String)> {
    if !record.metadata().ok()?.is_file() {
        return None;
    }
    let (mut messages, mut entries, mut version) = (0_usize, 0_usize, None);
    for line in Tail::new(File::open(record).ok()?, RECORD_MAX).ok()?.map_while(Result::ok) {
        let Ok(Value::Object(fields)) = serde_json::from_slice(&line) else { continue };
        let text = |key: &str| fields.get(key).and_then(Value::as_str);
        if matches!(text("type"), Some("user" | "assistant")) {
            messages += 1;
            entries += usize::from(Entry::parse(&line).is_some());
        }
        version = version.or_else(|| Version::parse(text("version")?));
    }
    if entries < messages {
        let left = messages - entries;
        return Some((
            Proven::No,
            format!("{left} of {messages} messages of the newest record are not understood"),
        ));
    }
    version.map(|version| told(version, "the newest record here: "))
}
