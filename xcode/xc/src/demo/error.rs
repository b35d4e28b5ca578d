//! The reasons for which a demo fails.

use std::io;

/// Why the demo failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// An expected result was not seen.
    #[error("not seen: {0}")]
    NotSeen(String),
    /// Its folder cannot be used.
    #[error("its folder cannot be used: {0}")]
    Folder(#[source] io::Error),
    /// No port is free for the scripted model.
    #[error("the scripted model cannot be started: {0}")]
    Model(#[source] io::Error),
    /// A program could not be run.
    #[error("{0} could not be run: {1}")]
    NotRun(&'static str, String),
}
