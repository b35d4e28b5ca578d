//! What the session wrote, from its record or its transcript. Not here: the files themselves.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use claude_hooks::transcript::{Block, Entry, Tail};
use gate::{Extent, Source, Target};
use gate_disk::Session;
use serde_json::Value;

use super::record;
use crate::event::HookContext;

/// Time limit for all disk look-ups of one call: a hook must answer before its deadline.
pub(crate) const LOOK_UPS_MAX: Duration = Duration::from_millis(40);

/// Size of the transcript's tail that is read, in bytes.
const TRANSCRIPT_MAX: u64 = 1 << 20;

/// What the session of a call wrote. Without a record, the transcript tells its start and its writes.
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

/// The files written in the tail of the transcript.
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
