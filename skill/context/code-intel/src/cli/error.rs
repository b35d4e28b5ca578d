//! Results of a command and their exit codes.

use std::io;

use crate::engine::EngineError;
use crate::mcp::McpError;
use crate::past::follow::FollowError;
use crate::root::RootError;

/// There are results.
pub(super) const FOUND: u8 = 0;
/// There are no results.
pub(super) const NOTHING: u8 = 1;
/// The question is invalid; clap also uses 2.
const MISUSE: u8 = 2;
/// No answer is possible: the folder does not exist, or there is no place for the index.
const FAILED: u8 = 3;

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Found,
    Nothing,
}

/// Why a command failed.
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
