//! Stores the conversation's thread in a session file below the repository's root, so that a later turn
//! continues it. The file is replaced atomically, and never through a link.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use contract::id::ThreadId;
use host::Beneath;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The cache folder, which is ours; its parent may contain settings of the user.
const CACHE: &str = ".devbooks/cache";

/// The session file, relative to the root.
const NOTE: &str = ".devbooks/cache/auto-tools/codex-session.json";

/// Maximum size of the file, in bytes; ours has some hundred.
const NOTE_MAX: u64 = 64 * 1024;

/// The session file of one repository.
#[derive(Debug, Clone)]
pub(super) struct SessionFile {
    root: PathBuf,
}

/// Why there is no thread to continue.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoThread {
    /// The file does not exist: this is the first turn here, or it was removed.
    #[error("there is no session file")]
    Missing,
    /// The file has another format.
    #[error("the session file is damaged ({why})")]
    Damaged { why: String },
    /// Its thread id is invalid.
    #[error("the session file names {id:?}, which is no UUID")]
    Invalid {
        /// The invalid id.
        id: String,
    },
    /// It cannot be read.
    #[error("the session file cannot be read ({0})")]
    Unreadable(#[source] io::Error),
}

/// The content as written.
#[derive(Debug, Serialize)]
struct Note<'n> {
    session_id: ThreadId,
    updated_at: String,
    workspace: &'n Path,
}

/// The content as read; unknown fields are ignored.
#[derive(Debug, Deserialize)]
struct Read {
    session_id: String,
}

impl SessionFile {
    /// The session file of the repository with this root.
    pub(super) fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Its path.
    pub(super) fn path(&self) -> PathBuf {
        self.root.join(NOTE)
    }

    /// The thread to continue.
    ///
    /// # Errors
    /// [`NoThread`], by cause.
    pub(super) fn read(&self) -> Result<ThreadId, NoThread> {
        let file = match Beneath::of(&self.root).open(NOTE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(NoThread::Missing),
            Err(error) => return Err(NoThread::Unreadable(error)),
        };
        let mut text = Vec::new();
        file.take(NOTE_MAX).read_to_end(&mut text).map_err(NoThread::Unreadable)?;
        let read: Read = serde_json::from_slice(&text)
            .map_err(|error| NoThread::Damaged { why: error.to_string() })?;
        read.session_id.parse().map_err(|_| {
            let id = redact::sanitize(&read.session_id, redact::Cut::chars(80));
            NoThread::Invalid { id }
        })
    }

    /// Stores the thread.
    ///
    /// # Errors
    /// The file system's error, or a component of the path is a link.
    pub(super) fn write(&self, thread: ThreadId, workspace: &Path) -> io::Result<()> {
        let updated_at = Timestamp::now().to_string();
        let note = Note { session_id: thread, updated_at, workspace };
        let mut text = serde_json::to_vec_pretty(&note).map_err(io::Error::other)?;
        text.push(b'\n');
        Beneath::of(&self.root).ignoring(&[CACHE]).replace(NOTE, &text)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// The file system's error.
    pub(super) fn forget(&self) -> io::Result<()> {
        Beneath::of(&self.root).remove(NOTE)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const THREAD: &str = "01a1fed2-256f-77d0-a14f-e512c55df4b7";

    #[test]
    fn a_thread_is_noted_and_found_and_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let file = SessionFile::below(root.path());
        assert!(matches!(file.read(), Err(NoThread::Missing)));
        for _ in 0..2 {
            file.write(THREAD.parse().unwrap(), Path::new("/shop")).unwrap();
            assert_eq!(file.read().unwrap(), THREAD.parse().unwrap());
        }
        let names = fs::read_dir(file.path().parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "nothing else is left beside it");
        file.forget().unwrap();
        file.forget().unwrap();
        assert!(matches!(file.read(), Err(NoThread::Missing)));
    }

    #[test]
    fn what_is_no_note_is_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let file = SessionFile::below(root.path());
        fs::create_dir_all(file.path().parent().unwrap()).unwrap();
        for (text, expected) in [
            ("", "the session file is damaged (EOF while parsing a value at line 1 column 0)"),
            ("{\"session_id\": ", "damaged"),
            ("{}", "the session file is damaged (missing field `session_id`"),
            (r#"{"session_id":"last"}"#, "names \"last\", which is no UUID"),
            (r#"{"session_id":""}"#, "names \"\", which is no UUID"),
        ] {
            fs::write(file.path(), text).unwrap();
            let error = file.read().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_link_out_of_the_root_is_not_followed() {
        let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), root.path().join(".devbooks")).unwrap();
        let file = SessionFile::below(root.path());
        assert!(file.write(THREAD.parse().unwrap(), root.path()).is_err());
        // Nothing is created, read or removed behind the link.
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        let note = elsewhere.path().join("cache/auto-tools/codex-session.json");
        fs::create_dir_all(note.parent().unwrap()).unwrap();
        fs::write(&note, format!(r#"{{"session_id":"{THREAD}"}}"#)).unwrap();
        assert!(matches!(file.read(), Err(NoThread::Unreadable(_))));
        assert!(file.forget().is_err() && note.exists());
    }
}
