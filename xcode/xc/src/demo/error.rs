//! Why a demo does not end well.

use std::io;

/// Why the demo did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// Something that belongs to it was not seen.
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
