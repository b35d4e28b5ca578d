//! What a call would do, in the words of no tool: what is judged before it runs.

use std::path::PathBuf;

/// What confines a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// The sandbox of the session, where it has one.
    Usual,
    /// Nothing: the model asks that it runs outside of the sandbox.
    Lifted,
}

/// What a call would do. Paths are absolute; those of the file tools hold no link any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A shell executes a command.
    Shell {
        /// The command, as bash reads it.
        command: String,
        /// Where.
        cwd: PathBuf,
        /// What confines it.
        bounds: Bounds,
    },
    /// A file is read, or the files of a folder.
    Read {
        /// Which.
        path: PathBuf,
    },
    /// A file is made, changed or replaced.
    Write {
        /// Which.
        path: PathBuf,
    },
    /// A tool of an MCP server is called.
    Mcp {
        /// The server, by its name in the configuration.
        server: String,
        /// The tool, by the server's name for it.
        tool: String,
        /// What it is given, as JSON.
        arguments: String,
    },
    /// An address is fetched from a network.
    Fetch {
        /// Which.
        url: String,
    },
    /// A fact is kept for later sessions, or forgotten.
    Remember {
        /// Of which.
        reach: Reach,
    },
    /// Nothing outside of the conversation: a question to the user, a list.
    Nothing,
}

impl Action {
    /// The file, or the folder, that is read or written.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Read { path } | Self::Write { path } => Some(path.clone()),
            Self::Shell { .. }
            | Self::Mcp { .. }
            | Self::Fetch { .. }
            | Self::Remember { .. }
            | Self::Nothing => None,
        }
    }
}

/// Which sessions a fact is kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those of this project.
    Project,
    /// All of the user's.
    Everywhere,
}
