//! The MCP server on standard input and output: two tools that ask the daemon over HTTP, like any other
//! client. It runs no Codex, keeps no state and writes nothing but the protocol to standard output.
//!
//! A call is a task of its own that sees three ends: the run's, the caller's cancellation, and the end of
//! the connection. The last two cancel the run, and the session ends only after the daemon has confirmed it.

mod answer;
mod call;
mod input_end;
mod progress;
mod server;
mod text;
mod tools;

use std::time::Duration;

use client::Client;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use input_end::InputEnd;
use server::Server;

/// How long the calls in flight may take to have their runs cancelled when the connection ends.
const FAREWELL: Duration = Duration::from_secs(15);

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

/// Serves one MCP session to the end of its input, or until `stop` is set. Then every run that it waits
/// for is cancelled.
///
/// # Errors
/// [`McpError`], by cause. A client that closes before it opens a session is no error.
pub async fn serve<R, W>(
    client: Client,
    input: R,
    output: W,
    stop: CancellationToken,
) -> Result<(), McpError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let calls = TaskTracker::new();
    let server = Server::new(client, calls.clone(), stop.clone());
    let input = InputEnd::new(input, stop.clone());
    let served = match server.serve_with_ct((input, output), stop.clone()).await {
        Ok(session) => session.waiting().await.map(drop).map_err(McpError::from),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(McpError::Opening(Box::new(error))),
    };
    stop.cancel();
    calls.close();
    if tokio::time::timeout(FAREWELL, calls.wait()).await.is_err() {
        tracing::warn!(calls = calls.len(), "the daemon did not confirm every cancellation");
    }
    served
}
