//! The MCP server on standard input and output: two tools that call the daemon over HTTP, like any other
//! client. It starts no Codex, keeps no state and writes nothing but the protocol to standard output.
//!
//! Each call is its own task and ends with the run, with the caller's cancellation, or with the
//! connection. The last two cancel the run, and the session ends only after the daemon has confirmed it.

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

/// Time to cancel the runs of calls in flight when the connection ends.
const FAREWELL: Duration = Duration::from_secs(15);

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

/// Serves one MCP session to the end of its input, or until `stop` is cancelled. Then every run that a call
/// waits for is cancelled.
///
/// # Errors
/// [`McpError`], by cause. A client that closes the connection before initialisation is not an error.
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
