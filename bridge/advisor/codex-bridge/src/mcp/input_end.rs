//! Detects the end of the input at once. The MCP library's own loop first waits some seconds for the calls
//! in flight, longer than clients wait before they send SIGTERM.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// A reader that cancels a token at the end of input.
#[derive(Debug)]
pub(super) struct InputEnd<R> {
    inner: R,
    ended: CancellationToken,
}

impl<R> InputEnd<R> {
    /// Wraps a reader.
    pub(super) fn new(inner: R, ended: CancellationToken) -> Self {
        Self { inner, ended }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for InputEnd<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = buffer.remaining() > 0;
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let ended = match &polled {
            Poll::Ready(Ok(())) => room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.ended.cancel();
        }
        polled
    }
}
