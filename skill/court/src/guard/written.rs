//! Files that the session wrote and that a command may now run: from the marks of earlier calls, by
//! a look at what the command names, and, where no marks can be kept, from the transcript.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

use claude_hooks::transcript::{Block, Entry, Tail};
use gate::{Judgement, Seen, Written};
use serde_json::Value;

use super::Surroundings;
use crate::hook::Hearing;
use crate::marks;

/// The most files that are looked at, the newest first.
const FILES_MAX: usize = 64;
/// The largest file whose content is read, in bytes; a larger one counts as unknown.
const FILE_MAX: u64 = 128 << 10;
/// How much is read of all files together, in bytes.
const TOTAL_MAX: u64 = 1 << 20;
/// How much of the transcript's end is read, in bytes.
const TRANSCRIPT_MAX: u64 = 1 << 20;
/// How many words of the command are looked up on disk.
const WORDS_MAX: usize = 64;

/// What the session wrote, the oldest first, with its text as it is on disk now.
pub fn written(
    hearing: &Hearing<'_>,
    surroundings: &Surroundings,
    judgement: &Judgement,
) -> Vec<Written> {
    let (began, marks) = marks::read(hearing.store, &hearing.call.session_id);
    let mut paths: Vec<String> = marks.into_iter().filter_map(|mark| mark.path).collect();
    if began.is_none() && paths.is_empty() {
        paths = from_transcript(&hearing.call.transcript_path);
    }
    if let Some(began) = began {
        let since = SystemTime::UNIX_EPOCH + Duration::from_millis(began);
        paths.extend(named(&judgement.commands, &surroundings.cwd, since));
    }
    let mut newest = BTreeMap::new();
    for (order, path) in paths.into_iter().enumerate() {
        newest.insert(path, order);
    }
    let mut paths: Vec<(usize, String)> =
        newest.into_iter().map(|(path, order)| (order, path)).collect();
    paths.sort_unstable_by_key(|(order, _)| std::cmp::Reverse(*order));
    let mut left = TOTAL_MAX;
    let mut written = Vec::new();
    for (_, path) in paths.into_iter().take(FILES_MAX) {
        // A file that is gone cannot be run.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if !metadata.is_file() {
            continue;
        }
        let content = content(Path::new(&path), metadata.len(), &mut left);
        written.push(Written { path, content });
    }
    written.reverse();
    written
}

fn content(path: &Path, size: u64, left: &mut u64) -> Option<String> {
    if size > FILE_MAX || size > *left {
        return None;
    }
    *left -= size;
    let mut text = String::new();
    File::open(path).ok()?.take(FILE_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Text files that the command names and that changed since the session began, whoever wrote them.
fn named(commands: &[Seen], cwd: &str, since: SystemTime) -> Vec<String> {
    let words = commands.iter().flat_map(|command| &command.words).take(WORDS_MAX);
    let looks_like_path = |word: &&String| {
        !word.contains(Seen::UNKNOWN)
            && !word.starts_with('-')
            && word.len() < 4096
            && (word.contains('/') || word.contains('.'))
    };
    words
        .filter(looks_like_path)
        .map(|word| Path::new(cwd).join(word))
        .filter(|path| {
            let Ok(metadata) = fs::metadata(path) else { return false };
            let is_new = metadata.modified().is_ok_and(|changed| changed >= since);
            is_new && metadata.is_file() && metadata.len() <= FILE_MAX && is_text(path)
        })
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Whether a file begins like text: a program that was just built is not read as a script.
fn is_text(path: &Path) -> bool {
    let mut head = [0_u8; 512];
    let read = File::open(path).and_then(|mut file| file.read(&mut head));
    read.is_ok_and(|length| !head[..length].contains(&0))
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
