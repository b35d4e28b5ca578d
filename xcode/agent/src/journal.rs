//! The journal of a session: an append-only file, locked by one process. It is synced to disk
//! before and after each effect, so that a kill loses at most the answer in progress.
//!
//! The journal is authoritative; [`Past`] and the summary are derived from it. Not here: which entries are added, which the
//! agent loop decides; everything is masked here once more.

mod answer;
mod error;
pub(crate) mod file;
mod last;
mod mask;
mod own;
pub(crate) mod past;
mod read;
#[cfg(test)]
pub(crate) mod tests;

use std::path::PathBuf;

use contract::id::SessionId;
use contract::xc::{Entry, Header, Line, SessionSummary};
use jiff::Timestamp;
use redact::Redactor;

pub use answer::answered;
pub use error::JournalError;
use file::LockedFile;
pub(crate) use file::{Held, is_held, lock, name};
pub(crate) use last::{Kept, choose, journals, live, open};
pub use past::{INTERRUPTED, Past, PastTasks, Unfinished};
pub(crate) use read::Found;

use crate::places::{Places, Scope, SessionFolder};
use crate::summary::{self, Digest};

/// The message when a session is resumed that came with the folder.
const BROUGHT: &str =
    "This session was not begun by you on this machine: what it says came with the folder.";

/// Whether a session is resumed in its own journal or in a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuing {
    /// The session itself is resumed. No other process may have it open.
    Same,
    /// A new session begins with the content of the other one, which may still be running.
    Fork,
}

/// An open session's journal: locked by this process, append-only.
#[derive(Debug)]
pub struct Journal {
    header: Header,
    folder: SessionFolder,
    file: LockedFile,
    /// The number of the next line.
    next: u64,
    redactor: Redactor,
    /// The input of the summary; every line was added to it.
    digest: Digest,
}

impl Journal {
    /// Creates the journal of a new session: in `.x-code/sessions` of the workspace, or in `~/.xcode/sessions` if that
    /// cannot be written or the workspace is the home folder. `version` is the program's. `redactor`
    /// has the keys, and masks every line.
    ///
    /// # Errors
    /// [`JournalError::Write`] and [`JournalError::Full`] if it can be created in neither folder.
    pub fn create(
        places: &Places,
        version: &str,
        redactor: Redactor,
    ) -> Result<Self, JournalError> {
        let cwd = places.cwd();
        let mut header = Header::new(SessionId::generate(), cwd, version.to_owned(), now());
        header.pid = Some(std::process::id());
        let (folder, file) = Self::begin(places, &header, b"")?;
        let digest = Digest::new(&header);
        Ok(Self { header, folder, file, next: 1, redactor, digest })
    }

    /// Resumes the session `id`, or the last one of this workspace. Its content is returned
    /// as a [`Past`]; an incomplete last line, left by a kill, is dropped, and the notes say so.
    ///
    /// # Errors
    /// [`JournalError::NoSession`] and [`JournalError::Unknown`] where there is none;
    /// [`JournalError::Live`] where another process has it; [`JournalError::Newer`] and
    /// [`JournalError::NoHeader`] for one that cannot be read; else [`JournalError::Read`],
    /// [`JournalError::Write`] and [`JournalError::Full`].
    pub fn resume(
        places: &Places,
        id: Option<SessionId>,
        continuing: Continuing,
        version: &str,
        redactor: Redactor,
    ) -> Result<(Self, Past), JournalError> {
        let kept = choose(places, id)?;
        match continuing {
            Continuing::Same => Self::go_on(kept, version, redactor),
            Continuing::Fork => Self::fork(places, &kept, version, redactor),
        }
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.header.id
    }

    /// The journal's path, for display.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.shown(&name(self.header.id))
    }

    /// The number of the last line, whether it is on disk or not.
    #[must_use]
    pub(crate) const fn last(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    /// Adds a line, masked, and returns its number. [`Entry::Begun`], [`Entry::Result`] and
    /// [`Entry::End`] are on disk when this returns; with `End` the summary is written as well.
    ///
    /// # Errors
    /// [`JournalError::Full`] and [`JournalError::Write`]. The session can continue: the line is kept in
    /// memory, and each later call writes all missing lines in order.
    pub fn append(&mut self, entry: Entry) -> Result<u64, JournalError> {
        let n = self.next;
        self.next = n.saturating_add(1);
        let line = Line { n, at: now(), entry: mask::entry(entry, &self.redactor) };
        self.digest.take(&line);
        let is_end = matches!(line.entry, Entry::End { .. });
        let is_synced = is_end || matches!(line.entry, Entry::Begun { .. } | Entry::Result { .. });
        let written = self.file.append(&json_line(&line));
        let synced = written.and_then(|()| if is_synced { self.file.sync() } else { Ok(()) });
        synced.map_err(|source| JournalError::write(self.path(), source))?;
        if is_end {
            self.write_summary()?;
        }
        Ok(n)
    }

    /// The summary of the session, made without a model.
    #[must_use]
    pub fn summary(&self) -> SessionSummary {
        self.digest.summary()
    }

    /// Writes the summary beside the journal, and as the folder's latest one unless another session
    /// has ended later.
    ///
    /// # Errors
    /// [`JournalError::Full`] and [`JournalError::Write`].
    pub fn write_summary(&self) -> Result<(), JournalError> {
        self.save(&self.summary())
    }

    /// Masks the following lines with `redactor`.
    pub(crate) fn set_redactor(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    /// Writes a summary of this session as [`Journal::write_summary`] does.
    ///
    /// # Errors
    /// [`JournalError::Full`] and [`JournalError::Write`].
    pub(crate) fn save(&self, summary: &SessionSummary) -> Result<(), JournalError> {
        let written = summary::write(&self.folder, summary);
        written.map_err(|source| JournalError::write(self.folder.shown("latest.json"), source))
    }

    fn go_on(kept: Kept, version: &str, redactor: Redactor) -> Result<(Self, Past), JournalError> {
        let Kept { id, folder, header, is_own } = kept;
        let path = folder.shown(&name(id));
        let file = match lock(&folder, &name(id)) {
            Ok(Held::Ours(file)) => file,
            Ok(Held::Theirs) => {
                return Err(live(&Kept { id, folder, header, is_own }));
            }
            Err(source) => return Err(JournalError::read(path, source)),
        };
        let mut read = last::read(&folder, id)?;
        read.past.notes.extend(brought(is_own));
        let file = LockedFile::at(file, read.whole_len);
        let file = file.map_err(|source| JournalError::write(path, source))?;
        let digest = read.digest;
        let mut journal = Self { header, folder, file, next: read.next, redactor, digest };
        let text = match read.past.notes.as_slice() {
            [] => format!("The session goes on with xc {version}."),
            notes => format!("The session goes on with xc {version}. {}", notes.join(" ")),
        };
        journal.append(Entry::Note { text, pid: Some(std::process::id()) })?;
        Ok((journal, read.past))
    }

    fn fork(
        places: &Places,
        kept: &Kept,
        version: &str,
        redactor: Redactor,
    ) -> Result<(Self, Past), JournalError> {
        let mut read = last::read(&kept.folder, kept.id)?;
        read.past.notes.extend(brought(kept.is_own));
        let cwd = places.cwd();
        let mut header = Header::new(SessionId::generate(), cwd, version.to_owned(), now());
        header.pid = Some(std::process::id());
        let (folder, file) = Self::begin(places, &header, &read.lines)?;
        let digest = read.digest.of(&header);
        let mut journal = Self { header, folder, file, next: read.next, redactor, digest };
        let text = format!("A copy of the session {}.", kept.id);
        journal.append(Entry::Note { text, pid: None })?;
        Ok((journal, read.past))
    }

    /// Creates a journal with its header and `lines`, in the first folder where that succeeds.
    fn begin(
        places: &Places,
        header: &Header,
        lines: &[u8],
    ) -> Result<(SessionFolder, LockedFile), JournalError> {
        let mut bytes = json_line(header);
        bytes.extend_from_slice(lines);
        let mut refused = None;
        for folder in places.sessions() {
            match file::make(places, &folder, &name(header.id), &bytes) {
                Ok(file) => {
                    if folder.scope == Scope::Project {
                        // If it cannot be recorded as the user's, the session can be resumed by its id only.
                        let _ = own::add(places, header.id);
                    }
                    return Ok((folder, file));
                }
                // The last folder is the user's own, so its error is returned.
                Err(source) => {
                    refused = Some(JournalError::write(folder.shown(&name(header.id)), source));
                }
            }
        }
        Err(refused.expect("there is always the user's own folder"))
    }
}

/// The message about a session that another user began.
fn brought(is_own: bool) -> Option<String> {
    (!is_own).then(|| BROUGHT.to_owned())
}

/// One line of the file, with its end.
fn json_line(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("its keys are texts and its numbers finite");
    bytes.push(b'\n');
    bytes
}

/// Now, in UTC with milliseconds.
fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
