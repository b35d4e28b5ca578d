//! The reading end of a program's output: notified by the kernel, or polled while the program
//! writes many small pieces.
//!
//! A reader that waits for a pipe is woken by each write. For a piece of a few hundred bytes that costs the
//! reader more than the piece itself, and the writer, which does the waking, as much again. So a pipe with
//! many small pieces is removed from the runtime's poll and read
//! every [`PAUSE`], until a read finds nothing, or so much that the writer may have been blocked.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};

/// Polling interval. A pipe holds 64 KiB: what is written at 30 MB a second.
const PAUSE: Duration = Duration::from_millis(2);

/// Maximum size of a small piece, in bytes: what is written to a pipe atomically (PIPE_BUF).
const SMALL: usize = 4 << 10;

/// Minimum size of a read after which the writer may have been blocked, in bytes: half of a pipe's capacity.
const LARGE: usize = 32 << 10;

/// Number of small pieces within [`WINDOW`] that starts polling.
const MANY: u32 = 40;

/// See [`MANY`]. A model writes some tens of pieces per second, which are read without polling.
const WINDOW: Duration = Duration::from_millis(20);

/// A program's output.
#[derive(Debug)]
pub(crate) struct Pipe {
    source: Source,
    pieces: Pieces,
}

/// How the pipe is waited for.
#[derive(Debug)]
enum Source {
    /// By notification of the kernel.
    Told(Receiver),
    /// By polling, next at this time.
    Looked { pipe: OwnedFd, next: Instant },
}

/// Recent small pieces.
#[derive(Debug)]
struct Pieces {
    /// Time of the first of them.
    since: Instant,
    count: u32,
}

impl Pipe {
    /// # Errors
    /// Fails if it is not a readable pipe, or cannot be waited for.
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        let pieces = Pieces { since: Instant::now(), count: 0 };
        Ok(Self { source: Source::Told(Receiver::from_owned_fd(pipe)?), pieces })
    }

    /// The pipe, registered with the runtime.
    ///
    /// # Errors
    /// It can no longer be registered.
    pub(crate) fn into_receiver(self) -> io::Result<Receiver> {
        match self.source {
            Source::Told(pipe) => Ok(pipe),
            Source::Looked { pipe, .. } => Receiver::from_owned_fd(pipe),
        }
    }

    /// Waits for the next bytes; 0 at the end.
    ///
    /// # Errors
    /// As read(2).
    ///
    /// # Cancel safety
    /// If dropped, nothing was read.
    pub(crate) async fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.source {
                Source::Told(pipe) => {
                    let read = pipe.read(bytes).await?;
                    let now = Instant::now();
                    // Without a spare descriptor the kernel's notification stays in use.
                    if self.pieces.are_many(read, now)
                        && let Ok(pipe) = pipe.as_fd().try_clone_to_owned()
                    {
                        self.source = Source::Looked { pipe, next: now + PAUSE };
                    }
                    return Ok(read);
                }
                Source::Looked { pipe, next } => {
                    sleep_until(*next).await;
                    match rustix::io::read(&*pipe, &mut *bytes) {
                        Ok(read) => {
                            *next = Instant::now() + PAUSE;
                            if read >= LARGE {
                                self.wait_again();
                            }
                            return Ok(read);
                        }
                        Err(Errno::AGAIN) => {
                            *next = Instant::now() + PAUSE;
                            self.wait_again();
                        }
                        Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
    }

    /// Returns to the kernel's notification; if that fails, polling continues.
    fn wait_again(&mut self) {
        if let Source::Looked { pipe, .. } = &self.source
            && let Ok(pipe) = pipe.try_clone().and_then(Receiver::from_owned_fd)
        {
            self.source = Source::Told(pipe);
        }
    }
}

impl Pieces {
    /// Records a piece of this many bytes. Returns whether there were many small ones recently.
    fn are_many(&mut self, bytes: usize, now: Instant) -> bool {
        if !(1..=SMALL).contains(&bytes) || now.duration_since(self.since) > WINDOW {
            *self = Self { since: now, count: 0 };
        }
        self.count += 1;
        self.count >= MANY
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// After how many of the pieces of `sizes`, each `gap_ms` after the previous one, they count as many.
    fn many_after(gap_ms: u64, sizes: impl IntoIterator<Item = usize>) -> Option<usize> {
        let begun = Instant::now();
        let mut pieces = Pieces { since: begun, count: 0 };
        let mut at = begun;
        sizes.into_iter().position(|bytes| {
            at += Duration::from_millis(gap_ms);
            pieces.are_many(bytes, at)
        })
    }

    #[test]
    fn only_small_pieces_that_come_fast_are_many() {
        assert_eq!(many_after(0, [300; 100]), Some(39));
        assert_eq!(many_after(10, [300; 1000]), None, "a model's pace");
        assert_eq!(many_after(0, [SMALL + 1; 1000]), None, "large pieces");
        let mixed = (0..1000).map(|n| if n % 20 == 0 { 64 << 10 } else { 300 });
        assert_eq!(many_after(0, mixed), None, "one large piece among them");
    }

    #[tokio::test]
    async fn a_flood_is_looked_at_and_what_comes_after_it_is_told_of() {
        let (pipe, mut writer) = std::io::pipe().unwrap();
        let mut pipe = Pipe::new(pipe.into()).unwrap();
        let (mut sent, mut got) = (Vec::new(), Vec::<u8>::new());
        let mut bytes = [0; 1 << 10];
        let mut n = 0_u32;
        while matches!(pipe.source, Source::Told(_)) {
            let piece = n.to_le_bytes();
            writer.write_all(&piece).unwrap();
            sent.extend(piece);
            let read = pipe.read(&mut bytes).await.unwrap();
            got.extend(&bytes[..read]);
            n += 1;
            assert!(n < 1_000_000, "never looked at");
        }
        for piece in [b"one", b"two"] {
            writer.write_all(piece).unwrap();
            sent.extend(piece);
        }
        let read = pipe.read(&mut bytes).await.unwrap();
        got.extend(&bytes[..read]);
        assert_eq!(got, sent, "both pieces in one look");
        assert!(matches!(pipe.source, Source::Looked { .. }));

        // A read without data returns to waiting, and loses nothing if it is dropped.
        let nothing = tokio::time::timeout(PAUSE * 20, pipe.read(&mut bytes)).await;
        assert!(nothing.is_err());
        assert!(matches!(pipe.source, Source::Told(_)));
        writer.write_all(b"late").unwrap();
        assert_eq!(pipe.read(&mut bytes).await.unwrap(), 4);
        assert_eq!(&bytes[..4], b"late");
        drop(writer);
        assert_eq!(pipe.read(&mut bytes).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn the_end_is_seen_by_a_look_too() {
        let (pipe, mut writer) = std::io::pipe().unwrap();
        let mut pipe = Pipe::new(pipe.into()).unwrap();
        let look = |pipe: Pipe| {
            let Source::Told(receiver) = &pipe.source else { panic!("it was just made") };
            let fd = receiver.as_fd().try_clone_to_owned().unwrap();
            Pipe { source: Source::Looked { pipe: fd, next: Instant::now() }, ..pipe }
        };
        pipe = look(pipe);
        writer.write_all(&[b'x'; LARGE]).unwrap();
        let mut bytes = vec![0; 64 << 10];
        assert_eq!(pipe.read(&mut bytes).await.unwrap(), LARGE);
        assert!(matches!(pipe.source, Source::Told(_)), "the writer may have had to wait");
        pipe = look(pipe);
        drop(writer);
        assert_eq!(pipe.read(&mut bytes).await.unwrap(), 0);
        assert_eq!(pipe.read(&mut bytes).await.unwrap(), 0);
    }
}
