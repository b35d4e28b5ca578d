//! The calls of a session that are not reviewed yet: one line per call in
//! `.claude/historian/marks/SESSION.jsonl`, added before the call runs. The gate also uses it to find out
//! which files the session wrote. Not here: contents of files, full commands.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::store::{Files, Store, StoreError};

/// The folder, below the ledger's folder.
const FOLDER: &str = "marks";
/// Size of a file, in bytes, above which no lines are added.
const FILE_MAX: u64 = 16 << 20;
/// Size of a file's tail that is read, in bytes.
const TAIL_MAX: u64 = 512 << 10;
/// Maximum length of a line, in bytes: a short write in append mode is atomic.
const LINE_MAX: usize = 3 << 10;
/// Maximum number of sessions whose files are kept.
const KEPT_MAX: usize = 64;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Its time, in milliseconds since 1970.
    pub at_ms: u64,
    /// The sub-agent; `None` for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The tool that was called.
    pub tool: String,
    /// The client's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The gate's level, such as `L1`.
    pub level: String,
    /// The rules that matched.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The written file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Who approved it, if approval was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Beginning {
    started_at_ms: u64,
}

/// Records the start of a session, and removes the files of old sessions.
///
/// # Errors
/// The folder cannot be written.
pub fn begin(store: &Store, session_id: &str, now_ms: u64) -> Result<(), StoreError> {
    let (files, name) = (folder(store), name(session_id));
    if files.metadata(&name).is_none() {
        let line = serde_json::to_string(&Beginning { started_at_ms: now_ms }).unwrap_or_default();
        append(&files, &name, &line)?;
    }
    retire(&files);
    Ok(())
}

/// Adds a line.
///
/// # Errors
/// The folder cannot be written.
pub fn add(store: &Store, session_id: &str, mark: &Mark) -> Result<(), StoreError> {
    let mut line = serde_json::to_string(mark).unwrap_or_default();
    if line.len() > LINE_MAX {
        // Only a path can be that long; without it the line still records a write.
        let short = Mark { path: None, rules: Vec::new(), ..mark.clone() };
        line = serde_json::to_string(&short).unwrap_or_default();
    }
    append(&folder(store), &name(session_id), &line)
}

/// The newest marks of a session, oldest first, and when the session began, if known.
pub fn read(store: &Store, session_id: &str) -> (Option<u64>, Vec<Mark>) {
    read_file(&folder(store), &name(session_id)).unwrap_or_default()
}

/// The marks of the session whose file was written last.
pub fn newest(store: &Store) -> Vec<Mark> {
    let files = folder(store);
    let newest = by_time(&files).pop();
    let marks = newest.and_then(|name| read_file(&files, &name).ok());
    marks.map(|(_, marks)| marks).unwrap_or_default()
}

fn read_file(files: &Files, name: &str) -> io::Result<(Option<u64>, Vec<Mark>)> {
    let mut file = files.open(name)?;
    let mut head = [0_u8; 128];
    let length = file.read(&mut head)?;
    let first = head[..length].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let began = serde_json::from_slice::<Beginning>(first).ok().map(|began| began.started_at_ms);
    let size = file.metadata()?.len();
    let from = size.saturating_sub(TAIL_MAX);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(TAIL_MAX).read_to_end(&mut tail)?;
    // A truncated first line is not a mark, and is skipped.
    let lines = tail.split(|byte| *byte == b'\n');
    Ok((began, lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()))
}

fn folder(store: &Store) -> Files {
    store.historian().inner(FOLDER)
}

/// A file name for a session's id, which is untrusted.
fn name(session_id: &str) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
    let id: String = session_id.chars().take(64).map(plain).collect();
    format!("{id}.jsonl")
}

fn append(files: &Files, name: &str, line: &str) -> Result<(), StoreError> {
    let mut file = files.append(name)?;
    let written = (|| {
        if file.metadata()?.len() > FILE_MAX {
            return Ok(());
        }
        file.write_all(format!("{line}\n").as_bytes())
    })();
    written.map_err(|error| files.failed(Path::new(name), error))
}

/// The files of sessions, newest last.
fn by_time(files: &Files) -> Vec<String> {
    let names = files.names().into_iter().filter_map(|name| name.into_string().ok());
    let mut found: Vec<_> = names
        .filter(|name| name.ends_with(".jsonl"))
        .filter_map(|name| Some((files.metadata(&name)?.modified().ok()?, name)))
        .collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

fn retire(files: &Files) {
    let names = by_time(files);
    let over = names.len().saturating_sub(KEPT_MAX);
    for name in names.into_iter().take(over) {
        // Another process may remove it at the same time.
        let _ = files.remove(name);
    }
}
