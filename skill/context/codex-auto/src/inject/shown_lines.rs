//! The lines that were shown to the user in the last turn of a session, so that they are not repeated. Stored as
//! hashes in the user's cache; if they cannot be stored, everything is shown.

use std::collections::BTreeSet;
use std::io::Read as _;

use host::Beneath;
use host::environment::Environment;
use sha2::{Digest as _, Sha256};

use super::once;

/// Maximum size of the file, in bytes: some 240 lines.
const FILE_MAX: u64 = 4096;
/// Stored length of a line's hash, in bytes.
const HASH_BYTES: usize = 8;

/// The lines of one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShownLines(BTreeSet<String>);

impl ShownLines {
    pub(super) fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let most = usize::try_from(FILE_MAX).unwrap_or_default() / (2 * HASH_BYTES + 1);
        Self(lines.take(most).map(hash).collect())
    }

    /// Whether a line was among them.
    pub(super) fn has(&self, line: &str) -> bool {
        self.0.contains(&hash(line))
    }

    /// The lines shown in the last turn of a session.
    pub(super) fn read(environment: &Environment, session_id: Option<&str>) -> Self {
        let read = || {
            let mut text = String::new();
            let (folder, name) = place(environment, session_id?)?;
            folder.open(name).ok()?.take(FILE_MAX).read_to_string(&mut text).ok()?;
            Some(Self(text.lines().map(str::to_owned).collect()))
        };
        read().unwrap_or_default()
    }

    /// Stores the lines for the next turn of the session.
    pub(super) fn keep(&self, environment: &Environment, session_id: Option<&str>) {
        let Some((folder, name)) = session_id.and_then(|id| place(environment, id)) else { return };
        let lines: Vec<&str> = self.0.iter().map(String::as_str).collect();
        // Lines that cannot be stored are shown again.
        let _ = folder.replace(name, lines.join("\n").as_bytes());
    }
}

fn place(environment: &Environment, session_id: &str) -> Option<(Beneath, String)> {
    let (cache, below) = once::place(environment)?;
    once::is_name(session_id)
        .then(|| (Beneath::private(cache, below), format!("told-{session_id}")))
}

fn hash(line: &str) -> String {
    let hash = Sha256::digest(line.as_bytes());
    hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect()
}
