//! Compares the installed client, and the client that wrote the transcripts here, with the version for which hooks,
//! transcript formats and fields were tested.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use claude_hooks::client::{PROGRAM, PROVEN, Standing, Version, version_of};
use claude_hooks::transcript::{Entry, Tail};
use host::find_program;
use serde_json::Value;

use super::context::CliContext;
use crate::review;

/// Size of the newest transcript's tail that is read, in bytes.
const RECORD_MAX: u64 = 1 << 20;

/// The results, each with whether it is as tested.
pub(super) fn look(desk: &CliContext) -> Vec<(Proven, String)> {
    let mut found = vec![installed(desk)];
    found.extend(newest_record(desk).and_then(|record| understood(&record)));
    found
}

/// Whether something is as tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proven {
    /// Yes.
    Yes,
    /// No, or unknown.
    No,
}

fn installed(desk: &CliContext) -> (Proven, String) {
    // A command run by the client's tools must not choose a program for us to start.
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

/// The latest transcript of this project.
fn newest_record(desk: &CliContext) -> Option<PathBuf> {
    // The client 2.1.197 derives the folder's name this way.
    let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '-' };
    let name: String = desk.places.project.to_str()?.chars().map(plain).collect();
    let folder = desk.places.client_config.join("projects").join(name);
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let records = files.filter(|path| path.extension() == Some(OsStr::new("jsonl")));
    let dated = records.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)));
    dated.max().map(|(_, path)| path)
}

/// Whether the end of a transcript can be parsed, and which client version wrote it.
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
