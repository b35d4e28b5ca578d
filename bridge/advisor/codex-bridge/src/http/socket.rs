//! A socket that a slow peer cannot block: a write without progress ends the connection, and
//! a close leaves the peer time to read the response. Responses that hyper makes itself are replaced: see
//! [`refused_head`].

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::refused_head;

/// Maximum time in which the peer accepts no byte of a write.
const WRITE_STALL: Duration = Duration::from_secs(10);

/// Maximum time to keep reading after our side is closed. A close with unread bytes makes the
/// kernel reset the connection, and the peer then loses a response (such as 413) that it has not read.
const LINGER: Duration = Duration::from_secs(2);

/// Pause after which a peer that does not close its side is expected to send no more.
const LINGER_SILENCE: Duration = Duration::from_millis(200);

/// Maximum number of bytes read and discarded after closing.
const LINGER_BYTES: usize = 8 * 1024 * 1024;

/// A socket with these bounds.
pub(super) struct Socket<S> {
    inner: S,
    /// Runs while a write is blocked, and after closing.
    timer: Pin<Box<Sleep>>,
    state: State,
    /// The replacement for a response of hyper's own, and how much of it was written.
    replacement: Option<(Vec<u8>, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    WriteStuck,
    Lingering { left: usize, until: Instant },
}

impl<S> Socket<S> {
    pub(super) fn new(inner: S) -> Self {
        Self {
            inner,
            timer: Box::pin(sleep(Duration::ZERO)),
            state: State::Open,
            replacement: None,
        }
    }

    fn arm(&mut self, timeout: Duration, state: State) {
        self.timer.as_mut().reset(Instant::now() + timeout);
        self.state = state;
    }

    /// Handles the outcome of a write: progress stops the timer, a blocked write starts it.
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.state = State::Open;
            return outcome;
        }
        if self.state != State::WriteStuck {
            self.arm(WRITE_STALL, State::WriteStuck);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.replacement.is_none() {
            this.replacement = refused_head::in_place_of(bytes).map(|answer| (answer, 0));
        }
        while let Some((answer, taken)) = &mut this.replacement {
            let outcome = Pin::new(&mut this.inner).poll_write(context, &answer[*taken..]);
            let written = match outcome {
                Poll::Ready(Ok(written)) if written > 0 => written,
                outcome => return this.watch(context, outcome),
            };
            *taken += written;
            let is_whole = *taken >= answer.len();
            this.state = State::Open;
            if is_whole {
                this.replacement = None;
                return Poll::Ready(Ok(bytes.len()));
            }
        }
        let outcome = Pin::new(&mut this.inner).poll_write(context, bytes);
        this.watch(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next()) {
            return self.poll_write(context, only);
        }
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.inner).poll_write_vectored(context, slices);
        this.watch(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !matches!(this.state, State::Lingering { .. }) {
            ready!(Pin::new(&mut this.inner).poll_shutdown(context))?;
            let until = Instant::now() + LINGER;
            this.arm(LINGER_SILENCE, State::Lingering { left: LINGER_BYTES, until });
        }
        let mut scratch = [0; 16 * 1024];
        while let State::Lingering { left, until } = this.state {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut this.inner).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) => {
                    let read = buffer.filled().len();
                    if read == 0 || read >= left || Instant::now() >= until {
                        break;
                    }
                    this.arm(LINGER_SILENCE, State::Lingering { left: left - read, until });
                }
                Poll::Ready(Err(_)) => break,
                Poll::Pending => {
                    ready!(this.timer.as_mut().poll(context));
                    break;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_reads_ends() {
        let (ours, _theirs) = duplex(16);
        let started = Instant::now();
        let error = Socket::new(ours).write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed().as_secs(), WRITE_STALL.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_of_hypers_own_is_replaced_however_it_is_taken() {
        let theirs = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let (ours, mut peer) = duplex(7);
        let mut ours = Socket::new(ours);
        let write = async {
            ours.write_all(theirs).await.unwrap();
            drop(ours);
        };
        let mut said = String::new();
        let ((), read) = tokio::join!(write, peer.read_to_string(&mut said));
        read.unwrap();
        assert!(said.contains("\r\nx-request-id: ") && said.ends_with("}}"), "{said}");
        assert!(said.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{said}");
        assert_eq!(said.matches("\r\nx-request-id: ").count(), 1, "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_served_for_as_long_as_it_reads() {
        let (ours, mut theirs) = duplex(1);
        let mut ours = Socket::new(ours);
        let reader = async {
            for _ in 0..8 {
                sleep(WRITE_STALL - Duration::from_secs(1)).await;
                theirs.read_u8().await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(ours.write_all(&[0; 8]), reader);
        written.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_close_waits_for_the_peer_but_not_for_long() {
        let (ours, theirs) = duplex(64);
        let started = Instant::now();
        Socket::new(ours).shutdown().await.unwrap();
        assert_eq!(started.elapsed().as_millis(), LINGER_SILENCE.as_millis());
        drop(theirs);

        let (ours, mut theirs) = duplex(64);
        let started = Instant::now();
        let drip = async {
            while theirs.write_u8(0).await.is_ok() {
                sleep(LINGER_SILENCE / 2).await;
            }
        };
        let close = async {
            let mut ours = Socket::new(ours);
            ours.shutdown().await.unwrap();
            started.elapsed()
        };
        let (_, waited) = tokio::join!(drip, close);
        assert!(waited >= LINGER && waited < LINGER + LINGER_SILENCE, "{waited:?}");
    }
}
