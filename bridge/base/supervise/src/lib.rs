//! Runs child processes to their end: the only crate that starts processes.
//!
//! A program is never a direct child of the daemon. Between them is a *guard*: a hidden
//! subcommand of our own executable ([`guard_main`]) that owns the program and all its
//! descendants. One socket connects the daemon with the guard; it carries the task, the program's
//! stdin, the order to interrupt, and the guard's reports. When it closes, for whatever reason, the
//! guard kills everything. So no process outlives a run: not when its future is dropped, and not when
//! the daemon or the guard is killed with SIGKILL.
//!
//! [`run()`] writes a program's stdin and reads its lines to the end; [`watch()`] passes on the output of a command
//! while it runs; [`talk()`] is [`run()`] with an open stdin, for a request-response protocol;
//! [`converse()`] gives the caller both ends, for a server.
//!
//! A guard can be started before there is a task for it: [`Guard::stand_by`].
//!
//! A guard can confine the programs that it starts ([`Guard::with_confine`], [`Confine`]): by Landlock, and by a mount
//! namespace if possible.
//!
//! In addition, [`run_helper()`] runs a short, trusted helper program (git) without a guard, for callers
//! that cannot afford one.
//!
//! Needs Linux 5.3 and a mounted `/proc`. Absent by design: any knowledge of what the program is
//! or prints, retries, configuration, a search path.

#![expect(clippy::disallowed_methods, reason = "this crate is where processes are started")]

mod capture;
mod command;
mod confine;
mod converse;
mod detach;
mod end;
mod error;
mod escalation;
mod guard;
mod inside;
mod isolation;
mod limits;
mod line;
mod outbound;
mod pipe;
mod probe;
mod proc;
mod process;
mod report;
mod run;
mod run_helper;
mod standby;
mod sweep;
mod tail;
mod talk;
mod task;
mod watch;

pub use capture::{Captured, capture};
pub use command::{Bounds, Clock, Command, Flow, Heard, Output};
pub use confine::{Confine, Confinement, Network};
pub use converse::{Conversation, StderrTail, converse};
pub use detach::{Attached, Detach, Detached, attach, detach, leave_starter};
pub use end::{Cause, Ended, Exit, SignalSent};
pub use error::SpawnError;
pub use guard::Guard;
pub use inside::guard_main;
pub use isolation::Isolation;
pub use limits::Limits;
pub use run::run;
pub use run_helper::{
    HelperCommand, HelperEnd, HelperError, HelperOutput, run_helper, run_helper_with_input,
};
pub use standby::Standby;
pub use sweep::sweep;
pub use talk::{Words, talk};
pub use watch::{Chunk, WatchBounds, Watched, watch};
