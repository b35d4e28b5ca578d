//! Finds the journals of a workspace, including the last one, and reads a whole journal.

use std::fs::File;
use std::io::{self, BufReader};
use std::time::SystemTime;

use contract::id::SessionId;
use contract::xc::{Entry, Header};

use super::error::JournalError;
use super::file::name;
use super::own::Own;
use super::past::{Past, Reading};
use super::read::{Found, Reader};
use crate::places::{Places, Scope, SessionFolder};
use crate::summary::Digest;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// An existing journal with a readable header.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) id: SessionId,
    pub(crate) folder: SessionFolder,
    pub(crate) header: Header,
    /// Whether the user began it; otherwise it came with the folder.
    pub(crate) is_own: bool,
}

impl Kept {
    fn new(own: &Own, id: SessionId, folder: SessionFolder, header: Header) -> Self {
        let is_own = folder.scope == Scope::Global || own.has(id);
        Self { id, folder, header, is_own }
    }
}

/// The content of a journal.
pub(super) struct Whole {
    pub(super) past: Past,
    pub(super) digest: Digest,
    /// The number of the next line.
    pub(super) next: u64,
    /// The length of its complete lines, in bytes.
    pub(super) whole_len: u64,
    /// Its lines without the header and without unreadable lines.
    pub(super) lines: Vec<u8>,
}

/// The journal of a session, or of the last one of this workspace that the user began.
pub(crate) fn choose(places: &Places, id: Option<SessionId>) -> Result<Kept, JournalError> {
    let Some(id) = id else { return last(places) };
    let own = Own::read(places);
    for folder in places.sessions() {
        match header(&folder, id) {
            Ok(header) => return Ok(Kept::new(&own, id, folder, header)),
            Err(JournalError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(JournalError::Unknown { id })
}

/// The journals of this workspace with at least one line, the most recently written first.
///
/// # Errors
/// [`JournalError::Read`] if a folder cannot be listed.
pub(crate) fn journals(places: &Places) -> Result<Vec<Kept>, JournalError> {
    let own = Own::read(places);
    let mut found = Vec::new();
    for (folder, id, _) in by_time(places)? {
        match header(&folder, id) {
            Ok(header) if is_of(places, &folder, &header) => {
                found.push(Kept::new(&own, id, folder, header));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn last(places: &Places) -> Result<Kept, JournalError> {
    let own = Own::read(places);
    let mut brought = None;
    for (folder, id, _) in by_time(places)? {
        match header(&folder, id) {
            Ok(header) if header.cwd == places.cwd() && has_line(&folder, id) => {
                let kept = Kept::new(&own, id, folder, header);
                if kept.is_own {
                    return Ok(kept);
                }
                brought = brought.or(Some(id));
            }
            Err(error @ JournalError::Newer { .. }) if folder.scope == Scope::Project => {
                return Err(error);
            }
            // Of another folder, truncated when it was created, or part of a repository.
            _ => {}
        }
    }
    Err(brought.map_or(JournalError::NoSession, |id| JournalError::Brought { id }))
}

fn by_time(places: &Places) -> Result<Vec<(SessionFolder, SessionId, SystemTime)>, JournalError> {
    let mut found = Vec::new();
    for folder in places.sessions() {
        let names = match (folder.names(), folder.scope) {
            (Ok(names), _) => names,
            // A link or a file in place of the folder: it has no session of ours.
            (Err(_), Scope::Project) => continue,
            (Err(source), Scope::Global) => {
                return Err(JournalError::read(folder.shown(""), source));
            }
        };
        for id in names.iter().filter_map(|name| name.strip_suffix(".jsonl")?.parse().ok()) {
            let metadata = folder.beneath().metadata(folder.at(&name(id)));
            if let Ok(written) = metadata.and_then(|metadata| metadata.modified()) {
                found.push((folder.clone(), id, written));
            }
        }
    }
    // Ids are also ordered by time.
    found.sort_by_key(|(_, id, written)| std::cmp::Reverse((*written, *id)));
    Ok(found)
}

/// A journal in the project's folder belongs to it, wherever the folder was moved from.
fn is_of(places: &Places, folder: &SessionFolder, header: &Header) -> bool {
    folder.scope == Scope::Project || header.cwd == places.cwd()
}

/// The error for a journal that another process has locked.
pub(crate) fn live(kept: &Kept) -> JournalError {
    JournalError::Live { id: kept.id, pid: holder(kept) }
}

/// The last process that opened a journal, by its lines.
fn holder(kept: &Kept) -> Option<u32> {
    let (header, mut reader) = open(&kept.folder, kept.id).ok()?;
    let mut pid = header.pid;
    while let Ok(Some(found)) = reader.next() {
        if let Found::Line(line) = found
            && let Entry::Note { pid: taken @ Some(_), .. } = line.entry
        {
            pid = taken;
        }
    }
    pid
}

/// Reads a whole journal.
pub(super) fn read(folder: &SessionFolder, id: SessionId) -> Result<Whole, JournalError> {
    let (header, mut reader) = open(folder, id)?;
    let (mut past, mut digest) = (Reading::default(), Digest::new(&header));
    let (mut next, mut lines) = (1, Vec::new());
    let failed = |source| JournalError::read(folder.shown(&name(id)), source);
    while let Some(found) = reader.next().map_err(failed)? {
        if let Found::Line(line) = &found {
            next = next.max(line.n.saturating_add(1));
            lines.extend_from_slice(&reader.bytes);
            digest.take(line);
        }
        past.take(found);
    }
    Ok(Whole { past: past.finish(), digest, next, whole_len: reader.whole_len, lines })
}

fn has_line(folder: &SessionFolder, id: SessionId) -> bool {
    let Ok((_, mut reader)) = open(folder, id) else { return false };
    std::iter::from_fn(|| reader.next().ok().flatten()).any(|found| matches!(found, Found::Line(_)))
}

fn header(folder: &SessionFolder, id: SessionId) -> Result<Header, JournalError> {
    open(folder, id).map(|(header, _)| header)
}

/// Opens a journal for reading.
pub(crate) fn open(
    folder: &SessionFolder,
    id: SessionId,
) -> Result<(Header, Reader<BufReader<File>>), JournalError> {
    let path = || folder.shown(&name(id));
    let failed = |source| JournalError::read(path(), source);
    let file = folder.beneath().open(folder.at(&name(id))).map_err(failed)?;
    let reader = Reader::new(BufReader::with_capacity(BUFFER, file)).map_err(failed)?;
    let (header, reader) = reader.ok_or_else(|| JournalError::NoHeader { path: path() })?;
    if header.id != id {
        return Err(JournalError::NoHeader { path: path() });
    }
    if !header.is_known() {
        return Err(JournalError::Newer { path: path(), schema: header.schema().to_owned() });
    }
    Ok((header, reader))
}
