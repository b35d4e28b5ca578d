//! Records which sessions of a project the user began: journals are in the project's folder, and a repository could contain
//! some of its own. Not here: the treatment of those.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};

use contract::id::SessionId;

use crate::places::Places;

/// The file, below `~/.xcode`: one id per line, append-only.
const FILE: &str = "sessions-begun.txt";
/// How much of it is read, in bytes: more than 100,000 sessions.
const SIZE_MAX: u64 = 4 << 20;

/// The sessions that the user began, in any project.
#[derive(Debug, Default)]
pub(crate) struct Own(BTreeSet<SessionId>);

impl Own {
    /// Reads the list; it is empty if the file is absent or cannot be read.
    pub(crate) fn read(places: &Places) -> Self {
        let mut text = String::new();
        let read =
            places.global().open(FILE).map(|file| file.take(SIZE_MAX).read_to_string(&mut text));
        match read {
            Ok(Ok(_)) => Self(text.lines().filter_map(|line| line.parse().ok()).collect()),
            Ok(Err(_)) | Err(_) => Self::default(),
        }
    }

    /// Whether the user began it.
    pub(crate) fn has(&self, id: SessionId) -> bool {
        self.0.contains(&id)
    }
}

/// Records a session that the user begins.
///
/// # Errors
/// An error of the file system.
pub(super) fn add(places: &Places, id: SessionId) -> io::Result<()> {
    places.global().append(FILE)?.write_all(format!("{id}\n").as_bytes())
}
