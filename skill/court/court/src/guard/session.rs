//! What the session wrote, as its record has it. Absent: the files themselves.

use std::fs::File;
use std::path::Path;

use claude_hooks::transcript::{Block, Entry, Tail};
use gate::{Extent, Source, Target};
use serde_json::Value;

use super::record;
use crate::event::HookContext;

/// How much of the transcript's end is read, in bytes.
const TRANSCRIPT_MAX: u64 = 1 << 20;

/// What is known of a session's own files.
#[derive(Debug, Default)]
pub struct Session {
    /// When it began, in nanoseconds since 1970; `None` where that is not known.
    pub began_ns: Option<i64>,
    /// Where it wrote, the oldest first.
    pub targets: Vec<Target>,
}

impl Session {
    /// Whether the session wrote a file that was last changed at a time: the kernel sets this time, and no
    /// program can set it back.
    pub fn wrote(&self, path: &str, ctime_ns: i64) -> bool {
        self.began_ns.is_some_and(|began| ctime_ns >= began)
            || self.targets.iter().any(|target| covers(target, path))
    }

    /// Whether the session fetched a file: by itself, or in a tree.
    pub fn fetched(&self, path: &str) -> Option<Extent> {
        let of = |target: &&Target| target.source == Source::Network && covers(target, path);
        self.targets.iter().filter(of).map(|target| target.extent).min()
    }

    /// The single files, the oldest first.
    pub fn files(&self) -> Vec<String> {
        let single = self.targets.iter().filter(|target| target.extent == Extent::File);
        single.map(|target| target.path.clone()).collect()
    }
}

fn covers(target: &Target, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(target.path.as_str()) else { return false };
    rest.is_empty() || target.extent == Extent::Tree && rest.starts_with('/')
}

/// What the session of a call wrote. Without a record, the transcript tells when it began and what it wrote.
pub(super) fn of(context: &HookContext<'_>) -> Session {
    let (began_ns, targets) = record::read(context.places, &context.call.session_id);
    if began_ns.is_some() {
        return Session { began_ns, targets };
    }
    let transcript = &context.call.transcript_path;
    let target = |path| Target { path, extent: Extent::File, source: Source::Local };
    Session {
        began_ns: record::transcript_began(transcript),
        targets: from_transcript(transcript).into_iter().map(target).collect(),
    }
}

/// The files that the newest part of the transcript writes.
fn from_transcript(transcript: &Path) -> Vec<String> {
    let Ok(file) = File::open(transcript) else { return Vec::new() };
    let Ok(tail) = Tail::new(file, TRANSCRIPT_MAX) else { return Vec::new() };
    let mut paths = Vec::new();
    for line in tail.map_while(Result::ok) {
        let Some(entry) = Entry::parse(&line) else { continue };
        for block in entry.blocks {
            if let Block::ToolUse { name, input, .. } = block
                && matches!(name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
                && let Some(path) = input.get("file_path").and_then(Value::as_str)
            {
                paths.push(path.to_owned());
            }
        }
    }
    paths.reverse();
    paths
}
