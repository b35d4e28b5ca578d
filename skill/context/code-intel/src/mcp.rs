//! `ci mcp`: the tools of the [`catalog`](crate::catalog) as a server of the Model Context Protocol, on
//! standard input and output. It is about one root, which no argument can change; it reads, and writes
//! nothing but the index in the user's cache folder.
//!
//! It needs no end of its own: the index is whole at every moment, so a signal may end the process.

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

/// What the server answers with.
#[derive(Debug)]
pub struct Serve {
    /// The engine of the root.
    pub engine: Engine,
    /// How long one answer may take. What is found by then is the answer.
    pub timeout: Duration,
    /// The `PATH` on which git is looked for.
    pub program_path: OsString,
    /// Whether the repository's history may be read behind an answer.
    pub follows_history: bool,
}

/// Why the server ended badly.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client did not open the session as the protocol wants it.
    #[error("the MCP session was not opened")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The server's own task failed.
    #[error("the MCP session broke off")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves one session to the end of its input.
///
/// # Errors
/// [`McpError`], by cause. A client that closes before it opens a session is no error.
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
