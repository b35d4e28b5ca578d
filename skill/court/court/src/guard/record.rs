//! The record of what a session wrote: one line per call, added before the call runs, in the user's state
//! folder, which no repository can provide and no call may write. Not here: contents of files.

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

/// The folder of the records, below the project's state folder.
const FOLDER: &str = "sessions";
/// Size of a record, in bytes, above which no lines are added: the change times on disk are still available.
const FILE_MAX: u64 = 4 << 20;
/// Size of a record's tail that is read, in bytes.
const TAIL_MAX: u64 = 512 << 10;
/// Maximum number of sessions whose records are kept.
const KEPT_MAX: usize = 256;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Beginning {
    /// Time of creation, in nanoseconds since 1970, on the clock that also stamps files.
    began_ns: i64,
}

/// A later line: one path that a call writes.
#[derive(Serialize, Deserialize)]
struct Line {
    path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tree: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fetched: bool,
}

/// Creates a session's record, if there is none.
///
/// # Errors
/// The folder cannot be written.
pub fn begin(places: &Places, session_id: &str) -> io::Result<()> {
    make(places, session_id, None)
}

/// Creates a record with the session's start; now, if that is unknown.
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

/// Adds the paths that a call writes. One write in append mode, so that concurrent lines stay intact.
///
/// # Errors
/// The record cannot be written.
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

/// When a session began, if known, and the paths that it wrote, oldest first.
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
    // The first line and truncated lines are not targets.
    let lines = tail.split(|byte| *byte == b'\n');
    let targets = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    let target = |line: Line| Target {
        path: line.path,
        extent: if line.tree { Extent::Tree } else { Extent::File },
        source: if line.fetched { Source::Network } else { Source::Local },
    };
    Ok((began, targets.map(target).collect()))
}

/// When the client created the transcript of a session: the fallback if no hook observed its start.
pub(super) fn transcript_began(transcript: &Path) -> Option<i64> {
    let made = fs::metadata(transcript).and_then(|found| found.created()).ok()?;
    let since = made.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// A file name for a session's id, which is untrusted.
fn path(session_id: &str) -> PathBuf {
    let plain = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
    let id: String = session_id.chars().take(64).map(plain).collect();
    Path::new(FOLDER).join(format!("{id}.jsonl"))
}

/// Removes the records that were not written to for the longest time.
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
