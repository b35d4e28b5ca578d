//! Which servers in a repository's file may be started. The file comes with the repository, which may come from
//! anyone: a server starts only after the user has seen its command and agreed, and a changed
//! entry needs a new agreement. Stored in the user's state folder, one file per server.

use std::io;

use host::{Beneath, UserFolder};

use crate::control::Server;
use crate::environment::Environment;

/// The command by which the user trusts a server.
pub const COMMAND: &str = "auto-tool-orchestrator trust";

/// The servers that the user trusts.
#[derive(Clone, Debug)]
pub struct Trust {
    /// A private folder. `None` if there is no home folder: then no server is trusted.
    folder: Option<Beneath>,
}

impl Trust {
    /// The user's folder, below `$XDG_STATE_HOME` or `~/.local/state`.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let state = environment.user_folder(UserFolder::State);
        let folder = state.map(|state| Beneath::private(state, "codex-bridge/trusted-servers"));
        Self { folder }
    }

    /// Whether the user trusts this entry in its current form.
    #[must_use]
    pub fn has(&self, server: &Server) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.open(&server.fingerprint).is_ok())
    }

    /// Trusts an entry.
    ///
    /// # Errors
    /// The state folder cannot be written, is not private, or does not exist.
    pub fn add(&self, server: &Server) -> io::Result<()> {
        let folder = self.folder.as_ref().ok_or_else(no_home)?;
        // The content is only informative; the file's name counts.
        let line = format!("{}: {}\n", server.name, server.command.join(" "));
        folder.replace(&server.fingerprint, line.as_bytes())
    }

    /// Stops trusting an entry; returns whether it was trusted.
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
