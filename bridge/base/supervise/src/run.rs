//! The loop that runs one guarded program to its end.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Clock, Command, Flow, Heard, Output};
use crate::confine::Fence;
use crate::end::{Cause, Ended, Exit};
use crate::error::SpawnError;
use crate::escalation::{Escalation, Step};
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::line::Lines;
use crate::outbound::Outbound;
use crate::process::Process;
use crate::report::Report;
use crate::tail::Tail;
use crate::task::{Ground, Task};

/// Buffer size for reads, in bytes: the capacity of a pipe.
const CHUNK: usize = 64 << 10;
/// Time limit for reading the last reports once the guard is reaped. They are there already.
const REPORT_LIMIT: Duration = Duration::from_millis(200);

/// Runs one program to its end. `on_output` is first called when the program has started, then for each
/// line of stdout and of stderr.
///
/// Returns when the guard has ended and no process of the run is left, at the latest
/// [`Bounds::grace`] and 1.6 s after [`Bounds::deadline`].
///
/// # Errors
///
/// [`SpawnError`] if the program could not be started.
///
/// # Cancel safety
///
/// If dropped, every process of the run is killed at once; its output is lost.
pub async fn run(
    guard: &Guard,
    command: Command,
    bounds: Bounds,
    cancel: &CancellationToken,
    mut on_output: impl FnMut(Output<'_>) -> Flow + Send,
) -> Result<Ended, SpawnError> {
    let terms = Terms::of_run(guard, guard.fence().await?, bounds);
    by_lines(guard, command, terms, cancel, |heard, _| match heard {
        Heard::Output(output) => on_output(output),
        Heard::Ending => Flow::Continue,
    })
    .await
}

/// Maximum length of a line of stderr, in bytes.
const STDERR_LINE_MAX: usize = 1 << 20;

/// Runs one program to its end and passes on its lines, together with access to its stdin.
pub(crate) async fn by_lines(
    guard: &Guard,
    command: Command,
    terms: Terms,
    cancel: &CancellationToken,
    mut on_heard: impl FnMut(Heard<'_>, &mut Outbound) -> Flow + Send,
) -> Result<Ended, SpawnError> {
    let isolation = guard.isolation().await;
    let line_max = terms.bounds.line_max;
    let mut lines = Lines::new(line_max);
    let mut stderr_lines = Lines::new(line_max.min(STDERR_LINE_MAX));
    let on_piece = |piece: Piece<'_>, outbound: &mut Outbound| match piece {
        Piece::Left => Seen::default(),
        Piece::Ending => Seen::default().and(on_heard(Heard::Ending, outbound)),
        Piece::Started { pid, guard } => {
            let started = Output::Started { pid, guard };
            Seen::default().and(on_heard(Heard::Output(started), outbound))
        }
        Piece::Stdout(chunk) => {
            let mut seen = Seen::default();
            lines.push(chunk, |line| {
                seen = seen.and(on_heard(Heard::Output(Output::Line(line)), outbound));
            });
            seen
        }
        Piece::Stderr { chunk, tail } => {
            let mut seen = Seen::default();
            let mut on_line = |line: &[u8]| {
                let flow = on_heard(Heard::Output(Output::StderrLine(line)), outbound);
                if !matches!(flow, Flow::Taken(_)) {
                    tail.push(line);
                    tail.push(b"\n");
                }
                seen = seen.and(flow);
            };
            match chunk {
                [] => stderr_lines.rest(&mut on_line),
                chunk => stderr_lines.push(chunk, &mut on_line),
            }
            seen
        }
    };
    let mut ended = run_isolated(guard, isolation, command, terms, cancel, on_piece).await?;
    ended.long_lines = lines.long();
    Ok(ended)
}

/// Limits of a run, and which output counts against them.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub bounds: Bounds,
    pub limits: Limits,
    pub fence: Option<Fence>,
    pub flood: Flood,
    /// Whether stdin stays open after [`Command::stdin`].
    pub is_stdin_open: bool,
}

impl Terms {
    /// For a program that we chose.
    pub(crate) fn of_run(guard: &Guard, fence: Option<Fence>, bounds: Bounds) -> Self {
        Self { bounds, limits: guard.limits(), fence, flood: Flood::OfStdout, is_stdin_open: false }
    }
}

/// Which streams count against [`Bounds::total_max`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flood {
    /// Stdout; only the end of stderr is kept.
    OfStdout,
    /// Stdout and stderr together.
    OfBoth,
}

/// An event of the loop for its reader.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// The program has started.
    Started { pid: u32, guard: u32 },
    /// The program is about to be interrupted.
    Ending,
    /// Some bytes of stdout.
    Stdout(&'a [u8]),
    /// The program has ended, but some of its descendants have not.
    Left,
    /// Some bytes of stderr (none at its end), and the buffer for those that are kept.
    Stderr { chunk: &'a [u8], tail: &'a mut Tail },
}

/// The reader's reaction to a piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    /// Whether it contained the last line that matters.
    is_last: bool,
    clock: Clock,
}

impl Default for Seen {
    fn default() -> Self {
        Self { is_last: false, clock: Clock::Keep }
    }
}

impl Seen {
    /// Adds the reaction to one more line; the latest clock change applies.
    fn and(self, flow: Flow) -> Self {
        match flow {
            Flow::Continue | Flow::Taken(Clock::Keep) => self,
            Flow::Taken(clock) => Self { clock, ..self },
            Flow::Last => Self { is_last: true, ..self },
        }
    }
}

/// [`run`] on raw chunks, with a given isolation.
pub(crate) async fn run_isolated(
    guard: &Guard,
    isolation: Isolation,
    command: Command,
    terms: Terms,
    cancel: &CancellationToken,
    on_piece: impl FnMut(Piece<'_>, &mut Outbound) -> Seen + Send,
) -> Result<Ended, SpawnError> {
    let begun = Instant::now();
    let Command { program, args, env, current_dir, stdin } = command;
    let Terms { bounds, limits, fence, flood, is_stdin_open } = terms;
    let stdin_bytes = stdin.len() as u64;
    let dir = current_dir;
    let ground = Ground::of(isolation, limits, fence.as_ref());
    let task = Task { stdin_bytes, is_stdin_open, fence, dir, program, args, env };
    let process = Process::start(guard, ground, &task, stdin).await?;
    let mut run = Run {
        process,
        isolation,
        task,
        escalation: Escalation::new(bounds),
        start: None,
        tail: Tail::new(bounds.stderr_tail),
        stderr_bytes: 0,
        stdout_bytes: 0,
        room: bounds.total_max,
        flood,
        stdout_open: true,
        stderr_open: true,
        reports_open: true,
        left_with: None,
        on_piece,
    };
    run.drive(cancel).await;
    run.finish(begun)
}

/// The state of a run. Every field is written by the loop only.
struct Run<F> {
    process: Process,
    isolation: Isolation,
    task: Task,
    escalation: Escalation,
    /// The program's process id or the error, once the guard has reported it.
    start: Option<Result<u32, SpawnError>>,
    tail: Tail,
    /// Number of bytes of stderr passed on.
    stderr_bytes: u64,
    /// Number of bytes of stdout passed on.
    stdout_bytes: u64,
    /// Number of bytes left until the output limit.
    room: u64,
    flood: Flood,
    stdout_open: bool,
    stderr_open: bool,
    reports_open: bool,
    /// The guard's exit code, once it has reported that no process is left.
    left_with: Option<i32>,
    on_piece: F,
}

impl<F: FnMut(Piece<'_>, &mut Outbound) -> Seen> Run<F> {
    /// Runs the loop until the run is over.
    async fn drive(&mut self, cancel: &CancellationToken) {
        // Buffers live outside of the futures that fill them, so an iteration that is interrupted by another
        // arm loses nothing. All arms are cancel safe.
        let (mut chunk, mut stderr, mut report) = (vec![0; CHUNK], vec![0; CHUNK], [0; 64]);
        while !(self.escalation.is_gone() && !self.stdout_open && !self.stderr_open) {
            let step = tokio::select! {
                () = cancel.cancelled(), if self.escalation.is_running() => {
                    self.escalation.cancel(Instant::now())
                }
                () = sleep_until(self.escalation.next_alarm()) => self.escalation.alarm(Instant::now()),
                status = &mut self.process.gone, if !self.escalation.is_gone() => {
                    self.on_gone(status.ok().and_then(Result::ok)).await
                }
                read = self.process.reports.read(&mut report), if self.reports_open => {
                    self.on_reports(&report[..count(read)])
                }
                () = self.process.outbound.send(), if self.process.outbound.waits() => Step::Wait,
                read = self.process.stderr.read(&mut stderr), if self.stderr_open && self.reads_output() => {
                    self.on_stderr(&stderr[..count(read)])
                }
                read = self.process.stdout.read(&mut chunk), if self.stdout_open && self.reads_output() => {
                    self.on_stdout(&chunk[..count(read)])
                }
            };
            match step {
                Step::Wait => {}
                Step::Interrupt => {
                    (self.on_piece)(Piece::Ending, &mut self.process.outbound);
                    self.process.outbound.interrupt();
                }
                Step::Kill => self.process.outbound.close(),
                Step::KillGuard => self.process.kill_guard(),
                Step::GiveUp => return,
            }
        }
    }

    /// Whether to read output: not before the reader was told that the program has started.
    fn reads_output(&self) -> bool {
        self.start.is_some() || self.escalation.is_gone()
    }

    fn on_stdout(&mut self, chunk: &[u8]) -> Step {
        let now = Instant::now();
        self.stdout_open = !chunk.is_empty();
        let (chunk, is_flood) = self.within_room(chunk);
        self.stdout_bytes += chunk.len() as u64;
        let seen = (self.on_piece)(Piece::Stdout(chunk), &mut self.process.outbound);
        self.escalation.set_clock(seen.clock, now);
        if is_flood {
            self.stdout_open = false;
            return self.escalation.overflow(now);
        }
        if seen.is_last || !self.stdout_open {
            self.escalation.expect_exit(now);
        }
        Step::Wait
    }

    fn on_stderr(&mut self, chunk: &[u8]) -> Step {
        let now = Instant::now();
        self.stderr_open = !chunk.is_empty();
        let (chunk, is_flood) = match self.flood {
            Flood::OfStdout => (chunk, false),
            Flood::OfBoth => self.within_room(chunk),
        };
        self.stderr_bytes += chunk.len() as u64;
        let seen = (self.on_piece)(
            Piece::Stderr { chunk, tail: &mut self.tail },
            &mut self.process.outbound,
        );
        self.escalation.set_clock(seen.clock, now);
        if is_flood {
            self.stderr_open = false;
            return self.escalation.overflow(now);
        }
        Step::Wait
    }

    /// The part of the chunk within the output limit, and whether something was cut off.
    fn within_room<'c>(&mut self, chunk: &'c [u8]) -> (&'c [u8], bool) {
        let room = usize::try_from(self.room).unwrap_or(usize::MAX).min(chunk.len());
        self.room -= room as u64;
        (&chunk[..room], room < chunk.len())
    }

    fn on_reports(&mut self, bytes: &[u8]) -> Step {
        self.reports_open = !bytes.is_empty();
        self.process.partial.push(bytes);
        while let Some(report) = self.process.partial.next() {
            match report {
                Report::Started(reported) => {
                    let guard = self.process.guard;
                    let pid = self.process.program(self.isolation, reported);
                    tracing::debug!(pid, guard, isolation = self.isolation.as_str(), "started");
                    self.start = Some(Ok(pid));
                    let seen =
                        (self.on_piece)(Piece::Started { pid, guard }, &mut self.process.outbound);
                    self.escalation.set_clock(seen.clock, Instant::now());
                }
                Report::Left => {
                    (self.on_piece)(Piece::Left, &mut self.process.outbound);
                }
                Report::Ended(exit) => self.escalation.exited(exit, Instant::now()),
                Report::Empty(code) => self.left_with = Some(code),
                Report::Directory(_)
                | Report::Program(_)
                | Report::Confine(_)
                | Report::Guard(_)
                | Report::OtherBuild => {
                    self.start = SpawnError::reported(report, &self.task).map(Err);
                }
            }
        }
        // The guard's end closes the channel after its memory and descriptors are freed; the kernel dismantles its namespaces
        // by itself, and the thread that owns the guard reaps it.
        if !self.reports_open
            && let Some(code) = self.left_with.take()
        {
            self.escalation.gone(Some(code_exit(code)), Instant::now());
        }
        Step::Wait
    }

    async fn on_gone(&mut self, status: Option<ExitStatus>) -> Step {
        // Reports sent before the end must be handled. They can no longer be delayed.
        let mut rest = Vec::new();
        if self.reports_open {
            let _ = timeout(REPORT_LIMIT, self.process.reports.read_to_end(&mut rest)).await;
        }
        self.on_reports(&rest);
        self.reports_open = false;
        self.left_with = None;
        self.escalation.gone(status.map(guard_exit), Instant::now());
        Step::Wait
    }

    fn finish(mut self, begun: Instant) -> Result<Ended, SpawnError> {
        if self.stderr_open {
            // Stderr was not read to its end: text after the last LF still counts as a line.
            (self.on_piece)(
                Piece::Stderr { chunk: &[], tail: &mut self.tail },
                &mut self.process.outbound,
            );
        }
        let (cause, exit, signal) = self.escalation.outcome();
        let (stderr_bytes, stderr_tail) = (self.stderr_bytes, self.tail.into_text());
        let pid = match self.start {
            Some(Ok(pid)) => pid,
            Some(Err(error)) => return Err(error),
            None if cause == Cause::GuardLost => {
                return Err(SpawnError::GuardSilent { stderr_tail });
            }
            // The guard was ended before the program was started.
            None => self.process.guard,
        };
        let (duration, stdout_bytes) = (begun.elapsed(), self.stdout_bytes);
        tracing::debug!(pid, ?cause, ?exit, ?signal, stdout_bytes, ?duration, "ended");
        let long_lines = 0;
        Ok(Ended {
            exit,
            cause,
            signal,
            stderr_tail,
            stdout_bytes,
            stderr_bytes,
            long_lines,
            pid,
            duration,
        })
    }
}

/// The number of bytes read; an error counts as the end of the stream.
fn count(read: io::Result<usize>) -> usize {
    read.unwrap_or(0)
}

/// The program's end, from the guard's exit status.
fn guard_exit(status: ExitStatus) -> Exit {
    status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(9)), code_exit)
}

/// The program's end, from the guard's exit code.
fn code_exit(code: i32) -> Exit {
    match code {
        129..=192 => Exit::Signal(code - 128),
        _ => Exit::Code(code),
    }
}
