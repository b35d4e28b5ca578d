//! The hidden subcommands: the processes between the daemon and the program.
//!
//! They take nothing from their command line: the task arrives on a socket that the parent created (see
//! `task`). They are single-threaded and allocate little. They must run before anything
//! else in `main`, because they close all inherited descriptors.

mod confine;
mod hygiene;
mod namespace;
mod reaper;
mod subreaper;

pub(crate) use hygiene::close_inherited;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::Command;

use crate::end::Exit;
use crate::isolation::Isolation;
use crate::report::Report;
use crate::task::{EXEC, GUARD, Ground, INIT, NoTask, PROBE, Task};

/// The guard failed; the error is on stderr.
const GUARD_FAILED: u8 = 125;
/// The program could not be executed.
const NOT_EXECUTABLE: u8 = 126;
/// The program was not found.
const NOT_FOUND: u8 = 127;

/// Runs a hidden subcommand, if `args` (with the program's own name first) names one.
///
/// Must be called first in `main`, before any thread, runtime or file exists. Returns `None` if
/// the arguments name no hidden subcommand, else the exit code.
pub fn guard_main(mut args: impl Iterator<Item = OsString>) -> Option<u8> {
    match args.nth(1)?.to_str()? {
        GUARD => Some(told(guard())),
        INIT => Some(told(namespace::init())),
        EXEC => Some(subreaper::exec()),
        PROBE => Some(0),
        _ => None,
    }
}

/// Isolates the run and waits for its end.
fn guard() -> Result<u8, Report> {
    let ground = match Ground::from_parent(rustix::stdio::stdin()) {
        Ok(ground) => ground,
        Err(NoTask::OtherBuild) => return Err(Report::OtherBuild),
        // Started by hand: there is no channel to report on, so the error is printed on stderr only.
        Err(NoTask::Io(error)) => return Ok(complain(guard_failed(error))),
    };
    hygiene::apply(ground.limits).map_err(guard_failed)?;
    match ground.isolation {
        Isolation::PidNamespace => namespace::guard(ground.network),
        Isolation::Subreaper => subreaper::guard(),
    }
}

/// Reports an error, on the control channel and on stderr; returns the exit code.
fn told(worked: Result<u8, Report>) -> u8 {
    worked.unwrap_or_else(|report| {
        reaper::send(report);
        complain(report)
    })
}

/// Prints an error on stderr; returns the exit code.
fn complain(report: Report) -> u8 {
    if report == Report::OtherBuild {
        let _ = writeln!(io::stderr(), "run guard: {}", NoTask::OtherBuild);
        return GUARD_FAILED;
    }
    let (what, errno, code) = match report {
        Report::Directory(errno) => ("cannot enter the working directory", errno, GUARD_FAILED),
        Report::Program(2) => ("cannot execute the program", 2, NOT_FOUND),
        Report::Program(errno) => ("cannot execute the program", errno, NOT_EXECUTABLE),
        Report::Guard(errno) => ("cannot set up", errno, GUARD_FAILED),
        Report::Confine(errno) => ("cannot confine the program", errno, GUARD_FAILED),
        Report::Started(_)
        | Report::Left
        | Report::Ended(_)
        | Report::Empty(_)
        | Report::OtherBuild => return GUARD_FAILED,
    };
    let error = io::Error::from_raw_os_error(errno);
    // If stderr is closed, the error cannot be reported.
    let _ = writeln!(io::stderr(), "run guard: {what}: {error}");
    code
}

/// The program of a task, with its arguments and its whole environment.
fn program(task: &Task) -> Command {
    let mut program = Command::new(&task.program);
    program.args(&task.args).env_clear();
    program.envs(task.env.iter().map(|(name, value)| (name, value)));
    program
}

/// Wraps an error of the guard itself.
fn guard_failed(error: impl Into<io::Error>) -> Report {
    Report::Guard(errno(&error.into()))
}

/// Wraps an error of confining the program.
fn not_confined(error: impl Into<io::Error>) -> Report {
    Report::Confine(errno(&error.into()))
}

/// The error number; EINVAL if the standard library detected the error itself.
fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error())
}

/// The guard's exit code for the program's end, as in a shell.
fn exit_code(exit: Exit) -> u8 {
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    };
    u8::try_from(code & 0xFF).unwrap_or(GUARD_FAILED)
}
