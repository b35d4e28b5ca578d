//! The hidden subcommands: what runs between the daemon and the program.
//!
//! None takes a word from its command line: what to do arrives on a socket that the parent made (see
//! `task`). All of it is single threaded and allocates next to nothing. It must run before anything
//! else in `main`: it closes descriptors that it knows to belong to no one.

mod confine;
mod hygiene;
mod namespace;
mod reaper;
mod subreaper;

pub(crate) use hygiene::close_inherited;

use std::ffi::OsString;
use std::io::{self, Write};

use crate::end::Exit;
use crate::isolation::Isolation;
use crate::report::Report;
use crate::task::{EXEC, GUARD, INIT, PROBE, Task};

/// The guard could not do its work; the text is on stderr.
const GUARD_FAILED: u8 = 125;
/// The program could not be executed.
const NOT_EXECUTABLE: u8 = 126;
/// The program was not found.
const NOT_FOUND: u8 = 127;

/// Runs a hidden subcommand, if `args` (with the program's own name first) name one.
///
/// Call it first thing in `main`, before any thread, runtime or file exists. Returns `None` when
/// the arguments are not for us, and the exit code when they were.
pub fn guard_main(mut args: impl Iterator<Item = OsString>) -> Option<u8> {
    match args.nth(1)?.to_str()? {
        GUARD => Some(with_task(guard)),
        INIT => Some(with_task(namespace::init)),
        EXEC => Some(subreaper::exec()),
        PROBE => Some(0),
        _ => None,
    }
}

/// Fences the run in and waits for its end.
fn guard(task: &Task) -> Result<u8, Report> {
    hygiene::apply(task).map_err(guard_failed)?;
    match task.isolation {
        Isolation::PidNamespace => namespace::guard(task),
        Isolation::Subreaper => subreaper::guard(task),
    }
}

/// Reads the task from the control channel, does `work`, and reports what went wrong.
fn with_task(work: impl FnOnce(&Task) -> Result<u8, Report>) -> u8 {
    let task = match Task::from_parent(rustix::stdio::stdin()) {
        Ok(task) => task,
        // Started by hand: there is no channel to report on, so stderr gets the error.
        Err(error) => return complain(guard_failed(error)),
    };
    work(&task).unwrap_or_else(|report| {
        reaper::send(report);
        complain(report)
    })
}

/// Says on stderr what went wrong where the subcommand was started by hand; returns the exit code.
fn complain(report: Report) -> u8 {
    let (what, errno, code) = match report {
        Report::Directory(errno) => ("cannot enter the working directory", errno, GUARD_FAILED),
        Report::Program(2) => ("cannot execute the program", 2, NOT_FOUND),
        Report::Program(errno) => ("cannot execute the program", errno, NOT_EXECUTABLE),
        Report::Guard(errno) => ("cannot set up", errno, GUARD_FAILED),
        Report::Confine(errno) => ("cannot confine the program", errno, GUARD_FAILED),
        Report::Started(_) | Report::Left | Report::Ended(_) | Report::Empty(_) => {
            return GUARD_FAILED;
        }
    };
    let error = io::Error::from_raw_os_error(errno);
    // With stderr gone there is no one to tell.
    let _ = writeln!(io::stderr(), "run guard: {what}: {error}");
    code
}

/// Wraps an error of the guard's own work.
fn guard_failed(error: impl Into<io::Error>) -> Report {
    Report::Guard(errno(&error.into()))
}

/// Wraps an error of what was to confine the program.
fn not_confined(error: impl Into<io::Error>) -> Report {
    Report::Confine(errno(&error.into()))
}

/// The error number; EINVAL where the standard library found the fault itself.
fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error())
}

/// The guard's exit code for how the program ended, as a shell would have it.
fn exit_code(exit: Exit) -> u8 {
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    };
    u8::try_from(code & 0xFF).unwrap_or(GUARD_FAILED)
}
