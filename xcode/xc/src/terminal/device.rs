//! The terminal's file: reads without blocking, writes, and gets the size. Not here: the meaning of the bytes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{isatty, tcgetwinsize, ttyname};
use tokio::net::unix::pipe::Receiver;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use super::input::{Decoder, Input, REST};
use super::key::Key;
use super::modes;
use super::screen::Size;

/// The size that is assumed when the terminal reports none.
const USUAL: Size = Size { columns: 80, rows: 24 };

/// How many bytes are read at once; the kernel returns at most 4,095 from a terminal.
const CHUNK: usize = 8 * 1_024;

/// An open terminal.
#[derive(Debug)]
pub(super) struct Device {
    /// Read as a pipe is. It is opened separately: non-blocking mode belongs to the open file, which standard output shares.
    reader: Receiver,
    writer: File,
    resized: Signal,
    /// Ctrl+C, in a terminal that is not raw.
    interrupted: Signal,
    buffer: Vec<u8>,
    decoder: Decoder,
    /// When an incomplete sequence is taken as complete; set and cleared by [`Device::next_key`].
    rest: Option<Instant>,
    /// Input of [`Device::next_line`] that is not a complete line yet.
    line: Vec<u8>,
}

/// The path of this process's terminal.
///
/// # Errors
/// It has none.
pub(super) fn path() -> io::Result<PathBuf> {
    let stdin = io::stdin();
    if isatty(&stdin)
        && let Ok(name) = ttyname(&stdin, Vec::new())
    {
        return Ok(PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes())));
    }
    Ok(PathBuf::from("/dev/tty"))
}

impl Device {
    /// Opens the terminal.
    ///
    /// # Errors
    /// It cannot be opened, or its size changes cannot be observed.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = |more: OFlags| i32::try_from((OFlags::NOCTTY | OFlags::CLOEXEC | more).bits());
        let open =
            |flags: i32| OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
        let reader = open(flags(OFlags::NONBLOCK).map_err(io::Error::other)?)?;
        let writer = open(flags(OFlags::empty()).map_err(io::Error::other)?)?;
        Ok(Self {
            reader: Receiver::from_file_unchecked(reader)?,
            writer,
            resized: signal(SignalKind::window_change())?,
            interrupted: signal(SignalKind::interrupt())?,
            buffer: vec![0; CHUNK],
            decoder: Decoder::default(),
            rest: None,
            line: Vec::new(),
        })
    }

    /// The file for writing.
    pub(super) const fn file(&self) -> &File {
        &self.writer
    }

    /// Its present size.
    pub(super) fn size(&self) -> Size {
        match tcgetwinsize(&self.writer) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Size { columns: size.ws_col, rows: size.ws_row }
            }
            Ok(_) | Err(_) => USUAL,
        }
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())
    }

    /// The next key, paste or resize, in raw mode.
    ///
    /// # Errors
    /// The file cannot be read.
    ///
    /// # Cancel safety
    /// Cancel safe: input that was read is kept.
    pub(super) async fn next_key(&mut self) -> io::Result<Input> {
        loop {
            if let Some(input) = self.decoder.pop() {
                return Ok(input);
            }
            let rest = self.rest;
            tokio::select! {
                _ = self.resized.recv() => return Ok(Input::Resize),
                read = read(&self.reader, &mut self.buffer) => {
                    let length = read?;
                    if length == 0 {
                        return Ok(Input::Closed);
                    }
                    self.decoder.push(&self.buffer[..length]);
                    self.rest = Some(Instant::now() + REST);
                    if self.decoder.take_tells_keys() {
                        modes::tell_keys(&self.writer)?;
                    }
                }
                () = sleep_until(rest.unwrap_or_else(Instant::now)), if rest.is_some() => {
                    self.rest = None;
                    self.decoder.pause();
                }
            }
        }
    }

    /// The next line, in a terminal that is not raw.
    ///
    /// # Errors
    /// The file cannot be read.
    ///
    /// # Cancel safety
    /// Cancel safe: input that was read is kept.
    pub(super) async fn next_line(&mut self) -> io::Result<Input> {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                return Ok(Input::Line(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            tokio::select! {
                _ = self.resized.recv() => return Ok(Input::Resize),
                _ = self.interrupted.recv() => return Ok(Input::Key(Key::ctrl('c'))),
                read = read(&self.reader, &mut self.buffer) => {
                    let length = read?;
                    if length == 0 {
                        return Ok(Input::Closed);
                    }
                    self.line.extend_from_slice(&self.buffer[..length]);
                }
            }
        }
    }
}

/// Reads bytes; 0 if the terminal is gone. A terminal may return less than it has, so only a read that would block shows
/// that there is no more.
async fn read(reader: &Receiver, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        reader.readable().await?;
        match reader.try_read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => return Ok(0),
            read => return read,
        }
    }
}
