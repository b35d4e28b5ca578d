//! `ci mcp`: serves the tools of the [`catalog`](crate::catalog) as an MCP server on
//! standard input and output. It is for one root, which arguments cannot change; it reads, and writes
//! nothing but the index in the user's cache folder.
//!
//! It needs no shutdown: the index is consistent at all times, so a signal may end the process.

mod answer;
mod progress;
mod server;

use std::ffi::OsString;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::engine::Engine;
use server::Server;

/// The server's settings.
#[derive(Debug)]
pub struct Serve {
    /// The engine of the root.
    pub engine: Engine,
    /// Time limit of one answer, which contains the results found by then.
    pub timeout: Duration,
    /// The `PATH` that is searched for git.
    pub program_path: OsString,
    /// Whether the repository's history may be read after an answer.
    pub follows_history: bool,
}

/// Why the server failed.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client's initialisation does not follow the protocol.
    #[error("the MCP session was not opened")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The server's task failed.
    #[error("the MCP session broke off")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves one session to the end of its input.
///
/// # Errors
/// [`McpError`], by cause. A client that closes the connection before initialisation is not an error.
pub async fn serve<R, W>(serve: Serve, input: R, output: W) -> Result<(), McpError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match Server::new(serve).serve((input, output)).await {
        Ok(session) => session.waiting().await.map(drop).map_err(McpError::from),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(McpError::Opening(Box::new(error))),
    }
}
