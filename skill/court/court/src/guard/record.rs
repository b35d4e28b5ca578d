//! The record of what a session wrote: one line a call, added before the call runs, in the user's state
//! folder, where no repository brings one and no call may write. Absent: contents of files.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gate::{Extent, Source, Target};
use gate_disk::nanoseconds;
use host::Beneath;
use serde::{Deserialize, Serialize};

use crate::event::HookContext;
use crate::places::Places;

/// The folder of the records, below the state of the project.
const FOLDER: &str = "sessions";
/// A record over this size gets no more lines, in bytes: the times of change on disk still tell.
const FILE_MAX: u64 = 4 << 20;
/// How much of the end of a record is read, in bytes.
const TAIL_MAX: u64 = 512 << 10;
/// How many sessions' records are kept.
const KEPT_MAX: usize = 256;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Beginning {
    /// When the record was made, in nanoseconds since 1970, by the clock that also stamps files.
    began_ns: i64,
}

/// A later line: one place that a call writes to.
#[derive(Serialize, Deserialize)]
struct Line {
    path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tree: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fetched: bool,
}

/// Makes a session's record, where there is none.
///
/// # Errors
/// When the folder cannot be written.
pub fn begin(places: &Places, session_id: &str) -> io::Result<()> {
    make(places, session_id, None)
}

/// Makes a record that says when the session began; now, where that is not known.
fn make(places: &Places, session_id: &str, began_ns: Option<i64>) -> io::Result<()> {
    let Some(state) = places.state() else { return Err(io::ErrorKind::NotFound.into()) };
    let path = path(session_id);
    if state.metadata(&path).is_ok() {
        return Ok(());
    }
    let mut file = state.append(&path)?;
    let metadata = file.metadata()?;
    let now_ns = nanoseconds(metadata.ctime(), metadata.ctime_nsec());
    let beginning = Beginning { began_ns: began_ns.unwrap_or(now_ns) };
    let line = serde_json::to_string(&beginning).unwrap_or_default();
    file.write_all(format!("{line}\n").as_bytes())?;
    retire(&state);
    Ok(())
}

/// Adds where a call writes. One write in append mode: calls at once do not tear each other's lines.
///
/// # Errors
/// When the record cannot be written.
pub(super) fn add(context: &HookContext<'_>, targets: &[Target]) -> io::Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let (places, session_id) = (context.places, context.call.session_id.as_str());
    make(places, session_id, transcript_began(&context.call.transcript_path))?;
    let Some(state) = places.state() else { return Ok(()) };
    let mut file = state.append(path(session_id))?;
    if file.metadata()?.len() > FILE_MAX {
        return Ok(());
    }
    let mut text = String::new();
    for target in targets {
        let line = Line {
            path: target.path.clone(),
            tree: target.extent == Extent::Tree,
            fetched: target.source == Source::Network,
        };
        text.push_str(&serde_json::to_string(&line).unwrap_or_default());
        text.push('\n');
    }
    file.write_all(text.as_bytes())
}

/// When a session began, where that is known, and where it wrote, the oldest first.
pub(super) fn read(places: &Places, session_id: &str) -> (Option<i64>, Vec<Target>) {
    read_file(places, session_id).unwrap_or_default()
}

fn read_file(places: &Places, session_id: &str) -> io::Result<(Option<i64>, Vec<Target>)> {
    let Some(state) = places.state() else { return Ok((None, Vec::new())) };
    let mut file = state.open(path(session_id))?;
    let mut head = [0_u8; 128];
    let length = file.read(&mut head)?;
    let first = head[..length].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let began = serde_json::from_slice::<Beginning>(first).ok().map(|first| first.began_ns);
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL_MAX)))?;
    let mut tail = Vec::new();
    file.take(TAIL_MAX).read_to_end(&mut tail)?;
    // The first line, and one that is cut in half, are no targets.
    let lines = tail.split(|byte| *byte == b'\n');
    let targets = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    let target = |line: Line| Target {
        path: line.path,
        extent: if line.tree { Extent::Tree } else { Extent::File },
        source: if line.fetched { Source::Network } else { Source::Local },
    };
    Ok((began, targets.map(target).collect()))
}

/// When the client began the transcript of a session: what is left to go by where no hook heard its start.
pub(super) fn transcript_began(transcript: &Path) -> Option<i64> {
    let made = fs::metadata(transcript).and_then(|found| found.created()).ok()?;
    let since = made.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// A session's id as a file's name: it comes from outside.
fn path(session_id: &str) -> PathBuf {
    let plain = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
    let id: String = session_id.chars().take(64).map(plain).collect();
    Path::new(FOLDER).join(format!("{id}.jsonl"))
}

/// Removes the records that were not written to for longest.
fn retire(state: &Beneath) {
    let names = state.names(FOLDER).unwrap_or_default();
    let mut files: Vec<(SystemTime, PathBuf)> = names
        .into_iter()
        .map(|name| Path::new(FOLDER).join(name))
        .filter_map(|path| Some((state.metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    files.sort();
    let over = files.len().saturating_sub(KEPT_MAX);
    for (_, path) in files.into_iter().take(over) {
        // Another hook may have removed it.
        let _ = state.remove(&path);
    }
}
