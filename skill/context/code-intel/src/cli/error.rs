//! How a command ends: with an answer or without one, and with which exit code.

use std::io;

use crate::engine::EngineError;
use crate::mcp::McpError;
use crate::past::follow::FollowError;
use crate::root::RootError;

/// An answer was given, and something was found.
pub(super) const FOUND: u8 = 0;
/// An answer was given, and nothing was found.
pub(super) const NOTHING: u8 = 1;
/// The question cannot be understood; clap ends with 2 too.
const MISUSE: u8 = 2;
/// There can be no answer: no such folder, no place for the index.
const FAILED: u8 = 3;

/// What a command ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Found,
    Nothing,
}

/// Why a command could not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error("cannot read the question from standard input")]
    Input(#[source] io::Error),
    #[error("cannot write the answer")]
    Output(#[source] io::Error),
    #[error(transparent)]
    Mcp(McpError),
    #[error("no thread for the MCP session")]
    Runtime(#[source] io::Error),
    #[error("cannot use the folder of the indexes")]
    Cache(#[source] io::Error),
    #[error(transparent)]
    History(#[from] FollowError),
}

impl CliError {
    /// The exit code.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Engine(EngineError::Cache { .. } | EngineError::NoCacheFolder) => FAILED,
            Self::Engine(_) => MISUSE,
            Self::Root(_)
            | Self::Input(_)
            | Self::Output(_)
            | Self::Mcp(_)
            | Self::Runtime(_)
            | Self::Cache(_)
            | Self::History(_) => FAILED,
        }
    }
}
