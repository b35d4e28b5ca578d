//! The main loop of a guard or init: feeds the program's stdin, reaps processes, and follows the daemon's orders.

use std::io;
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin};

use nix::sys::signal::{SigSet, Signal::SIGCHLD};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

use crate::end::Exit;
use crate::outbound::{END, INTERRUPT, SAY};
use crate::report::Report;
use crate::task::Task;

/// Sends a report on the control channel. If the daemon is gone, it is discarded.
pub(super) fn send(report: Report) {
    send_on(rustix::stdio::stdin(), report);
}

/// Sends a report on another descriptor of the control channel.
pub(super) fn send_on(control: impl AsFd, report: Report) {
    let _ = rustix::io::write(control, &report.encode());
}

/// Supervises `child` until it ends and returns how it ended. The first [`Task::stdin_bytes`] bytes of the control
/// channel are passed to the program, the following bytes are orders; EOF is the order to kill.
pub(super) fn keep(mut child: Child, task: &Task) -> io::Result<Exit> {
    let program = Pid::from_child(&child);
    let mut feed = Feed::new(child.stdin.take(), task)?;
    // From here on, the end of a child wakes the loop. Earlier ends are found by the first reaping.
    let children = watch_children()?;
    let mut control = Some(rustix::stdio::stdin());
    let mut buffer = [0; 16 << 10];
    loop {
        if let Some(exit) = reap(program)? {
            return Ok(exit);
        }
        let mut waits = vec![PollFd::new(&children, PollFlags::IN)];
        waits.extend(control.iter().map(|control| PollFd::new(control, PollFlags::IN)));
        waits.extend(feed.waits_for().map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        ready(rustix::event::poll(&mut waits, None))?;
        while let Ok(Some(_)) = children.read_signal() {}
        if control.is_some() && waits[1].revents() != PollFlags::empty() {
            match rustix::io::read(rustix::stdio::stdin(), &mut buffer) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                Ok(0) | Err(_) => {
                    control = None;
                    feed.stop();
                    kill(program);
                }
                Ok(count) => {
                    if feed.take(&buffer[..count]) {
                        // If the program has ended, it is reaped in the next iteration.
                        let _ = rustix::process::kill_process_group(program, Signal::INT);
                    }
                }
            }
        }
        feed.write();
    }
}

/// A descriptor that is readable when a child has ended. Blocks SIGCHLD, so nothing may be started
/// afterwards.
fn watch_children() -> io::Result<SignalFd> {
    let mut mask = SigSet::empty();
    mask.add(SIGCHLD);
    mask.thread_block()?;
    Ok(SignalFd::with_flags(&mask, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?)
}

/// Reaps all ended children; returns how the program ended, if it did.
fn reap(program: Pid) -> io::Result<Option<Exit>> {
    while let Some((pid, status)) = rustix::process::wait(WaitOptions::NOHANG)? {
        if pid != program {
            continue;
        }
        if let Some(code) = status.exit_status() {
            return Ok(Some(Exit::Code(code)));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(Some(Exit::Signal(signal)));
        }
    }
    Ok(None)
}

/// Kills the program and its group. It is our child and not reaped yet, so its id is still valid.
fn kill(program: Pid) {
    let _ = rustix::process::kill_process_group(program, Signal::KILL);
    let _ = rustix::process::kill_process(program, Signal::KILL);
}

/// Reports whether processes are left after the program has ended: orphans become children of this process, so
/// any remaining process is a child of it or has a remaining parent.
pub(super) fn tell_what_is_left() {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return send(Report::Left),
            Err(_) => return,
        }
    }
}

/// Kills every descendant of this process until none is left, for at most `limit`.
///
/// This process is a sub-reaper: orphans among its descendants become its children. So without
/// children there are no descendants.
pub(super) fn kill_descendants(limit: std::time::Duration) -> io::Result<()> {
    let begun = std::time::Instant::now();
    let children = watch_children()?;
    let pause = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
    while begun.elapsed() < limit {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => continue,
            Err(Errno::CHILD) => return Ok(()),
            Ok(None) | Err(_) => {}
        }
        crate::proc::kill_below(rustix::process::getpid());
        let mut waits = [PollFd::new(&children, PollFlags::IN)];
        ready(rustix::event::poll(&mut waits, Some(&pause)))?;
        while let Ok(Some(_)) = children.read_signal() {}
    }
    Ok(())
}

/// An interrupted wait counts as ready.
fn ready(outcome: rustix::io::Result<usize>) -> io::Result<()> {
    match outcome {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The program's pending stdin. It is read from the control channel at once, so that a
/// program which does not read cannot delay an order.
struct Feed {
    /// The program's stdin; `None` after all is written or the program has closed it.
    stdin: Option<ChildStdin>,
    /// Number of bytes still to come from the control channel.
    missing: u64,
    /// Whether orders may add more.
    is_open: bool,
    /// The length after an order to write, while it is incomplete.
    length: Option<Vec<u8>>,
    /// Bytes received; written up to `written`.
    bytes: Vec<u8>,
    /// Number of bytes that the program has accepted.
    written: usize,
}

impl Feed {
    fn new(stdin: Option<ChildStdin>, task: &Task) -> io::Result<Self> {
        if let Some(stdin) = &stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        let (missing, is_open) = (task.stdin_bytes, task.is_stdin_open);
        Ok(Self { stdin, missing, is_open, length: None, bytes: Vec::new(), written: 0 })
    }

    /// Handles bytes of the control channel; returns whether to interrupt the program.
    fn take(&mut self, mut bytes: &[u8]) -> bool {
        let mut interrupts = false;
        loop {
            let count = usize::try_from(self.missing).unwrap_or(usize::MAX).min(bytes.len());
            let (stdin, orders) = bytes.split_at(count);
            self.missing -= count as u64;
            if self.stdin.is_some() {
                self.bytes.extend_from_slice(stdin);
            }
            let [order, rest @ ..] = orders else { return interrupts };
            bytes = rest;
            interrupts |= self.obey(*order);
        }
    }

    /// Handles one byte of an order.
    fn obey(&mut self, byte: u8) -> bool {
        if let Some(length) = &mut self.length {
            length.push(byte);
            if let Some(length) = length.first_chunk() {
                self.missing = u32::from_le_bytes(*length).into();
                self.length = None;
            }
            return false;
        }
        match byte {
            SAY => self.length = Some(Vec::new()),
            END => self.is_open = false,
            _ => {}
        }
        byte == INTERRUPT
    }

    /// The stdin to wait for, if there is something to write.
    fn waits_for(&self) -> Option<&ChildStdin> {
        self.stdin.as_ref().filter(|_| self.written < self.bytes.len())
    }

    /// Writes as much as the program accepts now.
    fn write(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        while self.written < self.bytes.len() {
            match rustix::io::write(stdin, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                // The program does not read the rest.
                Err(_) => return self.stop(),
            }
        }
        self.bytes.clear();
        self.written = 0;
        if self.missing == 0 && self.length.is_none() && !self.is_open {
            self.stop();
        }
    }

    /// Closes stdin and discards unwritten bytes.
    fn stop(&mut self) {
        self.stdin = None;
        self.bytes = Vec::new();
        self.written = 0;
    }
}
