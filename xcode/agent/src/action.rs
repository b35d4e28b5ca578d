//! The effect of a call, independent of the tool: what the permissions judge before it runs.

use std::path::PathBuf;

/// The confinement of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// The session's sandbox, if it has one.
    Usual,
    /// None: the model asks to run it outside of the sandbox.
    Lifted,
}

/// The effect of a call. Paths are absolute; in those of the file tools, links are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A shell executes a command.
    Shell {
        /// The command, in bash syntax.
        command: String,
        /// Its working folder.
        cwd: PathBuf,
        /// Its confinement.
        bounds: Bounds,
    },
    /// A file is read, or the files of a folder.
    Read {
        /// The file or folder.
        path: PathBuf,
    },
    /// A file is created, changed or replaced.
    Write {
        /// The file.
        path: PathBuf,
    },
    /// A tool of an MCP server is called.
    Mcp {
        /// The server, by its name in the configuration.
        server: String,
        /// The tool, by its name on that server.
        tool: String,
        /// The arguments, as JSON.
        arguments: String,
    },
    /// A URL is fetched.
    Fetch {
        /// The URL.
        url: String,
    },
    /// A fact is saved for later sessions, or deleted.
    Remember {
        /// For which sessions.
        reach: Reach,
    },
    /// There is no effect outside of the conversation: a question to the user, a list.
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

/// The sessions that a fact is saved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those of this project.
    Project,
    /// All of the user's.
    Everywhere,
}
