//! The daemon's end of the control channel after the task was sent: stdin first, then orders, then it is
//! closed. An order is one byte; [`SAY`] is followed by a length, four bytes in little endian, and that many
//! bytes of stdin.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;

/// The order on the control channel to send SIGINT to the program's group.
pub(crate) const INTERRUPT: u8 = b'I';

/// The order to write the following bytes to the program's stdin.
pub(crate) const SAY: u8 = b'W';

/// The order to close the program's stdin after all of it is written.
pub(crate) const END: u8 = b'E';

/// Pending data for the guard.
#[derive(Debug)]
pub(crate) struct Outbound {
    /// Closing it is the order to kill everything; it is then `None`.
    control: Option<OwnedWriteHalf>,
    /// Bytes to send; sent up to `sent`.
    bytes: Vec<u8>,
    /// Number of bytes that the channel has accepted.
    sent: usize,
    /// Whether the order to close stdin was given.
    is_ended: bool,
}

impl Outbound {
    /// Starts with the program's stdin, whose length the guard knows.
    pub(crate) fn new(control: OwnedWriteHalf, stdin: Vec<u8>) -> Self {
        Self { control: Some(control), bytes: stdin, sent: 0, is_ended: false }
    }

    /// Whether there is something to send.
    pub(crate) fn waits(&self) -> bool {
        self.control.is_some() && self.sent < self.bytes.len()
    }

    /// Sends what the channel accepts now.
    ///
    /// # Cancel safety
    ///
    /// If dropped, nothing was sent.
    pub(crate) async fn send(&mut self) {
        let Some(control) = &mut self.control else { return };
        let sent: io::Result<usize> = control.write(&self.bytes[self.sent..]).await;
        // A guard that does not read has ended or is ending, which is detected elsewhere.
        self.sent = sent.map_or(self.bytes.len(), |sent| self.sent + sent);
        if !self.waits() {
            self.forget();
        }
    }

    /// Orders to interrupt the program, after all of stdin is sent.
    pub(crate) fn interrupt(&mut self) {
        self.bytes.push(INTERRUPT);
    }

    /// Orders to write one line to the program's stdin; ignored after [`Outbound::end`].
    pub(crate) fn say(&mut self, line: &[u8]) {
        if self.is_ended {
            return;
        }
        // A line of 4 GiB does not fit into our memory.
        let length = u32::try_from(line.len() + 1).unwrap_or(u32::MAX);
        self.bytes.push(SAY);
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
    }

    /// Orders to close the program's stdin.
    pub(crate) fn end(&mut self) {
        self.is_ended = true;
        self.bytes.push(END);
    }

    /// Orders to kill everything, immediately. Reports still arrive.
    pub(crate) fn close(&mut self) {
        self.control = None;
        self.forget();
    }

    /// The channel itself, for manual use.
    pub(crate) fn into_channel(self) -> Option<OwnedWriteHalf> {
        self.control
    }

    fn forget(&mut self) {
        self.bytes = Vec::new();
        self.sent = 0;
    }
}
