//! Which servers of a repository's file may be started. The file comes with the repository, so it could
//! be anybody's: a server starts only after the user has looked at its command and said so, and when
//! its entry changes the user is asked again. Kept in the user's state folder, one file a server.

use std::io;

use host::{Beneath, UserFolder};

use crate::control::Server;
use crate::environment::Environment;

/// The command that trusts.
pub const COMMAND: &str = "auto-tool-orchestrator trust";

/// The servers that the user trusts.
#[derive(Clone, Debug)]
pub struct Trust {
    /// This user's alone. `None` where there is no home: then nothing is trusted.
    folder: Option<Beneath>,
}

impl Trust {
    /// The user's, below `$XDG_STATE_HOME` or `~/.local/state`.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let state = environment.user_folder(UserFolder::State);
        let folder = state.map(|state| Beneath::private(state, "codex-bridge/trusted-servers"));
        Self { folder }
    }

    /// Whether the user trusts this entry as it stands.
    #[must_use]
    pub fn has(&self, server: &Server) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.open(&server.fingerprint).is_ok())
    }

    /// Trusts an entry.
    ///
    /// # Errors
    /// When the state folder cannot be written or is not this user's alone, or there is none.
    pub fn add(&self, server: &Server) -> io::Result<()> {
        let folder = self.folder.as_ref().ok_or_else(no_home)?;
        // For people who look into the folder; only the name counts.
        let line = format!("{}: {}\n", server.name, server.command.join(" "));
        folder.replace(&server.fingerprint, line.as_bytes())
    }

    /// No longer trusts an entry; tells whether it was trusted.
    ///
    /// # Errors
    /// As [`Trust::add`].
    pub fn remove(&self, server: &Server) -> io::Result<bool> {
        let was = self.has(server);
        self.folder.as_ref().ok_or_else(no_home)?.remove(&server.fingerprint)?;
        Ok(was)
    }
}

fn no_home() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set")
}
