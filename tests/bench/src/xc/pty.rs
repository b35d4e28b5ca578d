//! Runs a program in a pseudo-terminal: records what it shows, and when that was written. It
//! answers a program's terminal queries at once, as a real terminal does. Not here: which program.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

const ROWS: u16 = 40;
const COLUMNS: u16 = 100;
/// The time limit for something to be shown.
const LIMIT: Duration = Duration::from_secs(60);
/// Queries and their answers: the cursor's position, the type of terminal, its colours.
const ANSWERS: [(&[u8], &[u8]); 4] = [
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b]10;?", b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
];

/// A running program and its terminal.
pub(super) struct Pty {
    child: Child,
    master: File,
    written: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    /// When the program was started.
    pub(super) begun: Instant,
    /// The number of bytes written.
    pub(super) bytes: usize,
    /// The number of frames begun (DEC 2026).
    pub(super) frames: usize,
}

impl Pty {
    /// Starts `program` with these arguments and exactly this environment in `folder`.
    pub(super) fn start<'w>(
        program: &Path,
        words: &[&str],
        folder: &Path,
        environment: impl IntoIterator<Item = (&'w OsStr, &'w OsStr)>,
    ) -> anyhow::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let open = || {
            let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
            let path = OsStr::from_bytes(name.as_bytes());
            OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)
        };
        let ours = open()?;
        tcsetwinsize(&ours, Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 })?;
        // `setsid` executes the program, so the process id is the program's.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(program).args(words).current_dir(folder);
        command.env_clear().envs(environment).env("TERM", "xterm-256color");
        command.stdin(open()?).stdout(open()?).stderr(open()?);
        let begun = Instant::now();
        let child = command.spawn().with_context(|| format!("{}", program.display()))?;
        drop((command, ours));
        let master = File::from(master);
        let written = listen(master.try_clone()?);
        let parser = vt100::Parser::new(ROWS.try_into()?, COLUMNS.try_into()?, 0);
        Ok(Self { child, master, written, parser, begun, bytes: 0, frames: 0 })
    }

    /// Its process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Types these bytes; returns when.
    pub(super) fn typed(&mut self, text: &str) -> anyhow::Result<Instant> {
        let at = Instant::now();
        self.master.write_all(text.as_bytes())?;
        Ok(at)
    }

    /// Waits until the screen is as expected; returns when the last part of it was written.
    pub(super) fn shows(
        &mut self,
        what: &str,
        is_met: impl Fn(&str) -> bool,
    ) -> anyhow::Result<Instant> {
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (at, part) = match self.written.recv_timeout(left) {
                Ok(written) => written,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    bail!("never {what}:\n{}", self.parser.screen().contents())
                }
            };
            self.bytes += part.len();
            self.frames += part.windows(8).filter(|bytes| bytes == b"\x1b[?2026h").count();
            self.parser.process(&part);
            if is_met(&self.parser.screen().contents()) {
                return Ok(at);
            }
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the output, records its time, and answers queries.
fn listen(mut master: File) -> Receiver<(Instant, Vec<u8>)> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut part = [0; 4_096];
        // The end of a terminal is reported as an error.
        while let Ok(length) = master.read(&mut part) {
            let at = Instant::now();
            let bytes = &part[..length];
            for (asked, answer) in ANSWERS {
                if bytes.windows(asked.len()).any(|window| window == asked) {
                    let _ = master.write_all(answer);
                }
            }
            if length == 0 || sender.send((at, bytes.to_vec())).is_err() {
                return;
            }
        }
    });
    receiver
}
