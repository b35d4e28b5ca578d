//! Which servers of a repository's file may be started. The file comes with the repository, so it could
//! be anybody's: a server starts only after the user has looked at its command and said so, and when
//! its entry changes the user is asked again. Kept in the user's state folder, one file a server.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use crate::control::Server;
use crate::environment::Environment;

/// The command that trusts.
pub const COMMAND: &str = "auto-tool-orchestrator trust";

/// The servers that the user trusts.
#[derive(Clone, Debug)]
pub struct Trust {
    /// `None` where there is no home: then nothing is trusted.
    folder: Option<PathBuf>,
}

impl Trust {
    /// The user's, below `$XDG_STATE_HOME` or `~/.local/state`.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let absolute = |name: &str| environment.path(name).filter(|path| path.is_absolute());
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
        Self { folder: state.map(|state| state.join("codex-bridge/trusted-servers")) }
    }

    /// Whether the user trusts this entry as it stands.
    #[must_use]
    pub fn has(&self, server: &Server) -> bool {
        self.file(server).is_some_and(|file| file.is_file())
    }

    /// Trusts an entry.
    ///
    /// # Errors
    /// When the state folder cannot be written, or there is none.
    pub fn add(&self, server: &Server) -> io::Result<()> {
        let file = self.file(server).ok_or_else(no_home)?;
        if let Some(folder) = file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
        // For people who look into the folder; only the name counts.
        writeln!(file, "{}: {}", server.name, server.command.join(" "))
    }

    /// No longer trusts an entry; tells whether it was trusted.
    ///
    /// # Errors
    /// When the state folder cannot be written, or there is none.
    pub fn remove(&self, server: &Server) -> io::Result<bool> {
        match fs::remove_file(self.file(server).ok_or_else(no_home)?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn file(&self, server: &Server) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(&server.fingerprint))
    }
}

fn no_home() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set")
}
