//! The `codex-advisor` command: asks the advisor through the daemon, and always answers.
//!
//! Whatever happens, standard output gets one definite JSON document (or its Markdown), and the exit
//! code says who has to act. Nothing waits without a limit, and where a run goes on, its id and the
//! command that picks it up are told.
//!
//! Models run this command without being asked for each call. So no argument chooses an address, a
//! token, a state folder or a program, what is shown of a file is a question or nothing, and only the
//! runs of the caller's project are seen (SECURITY.md, "The allow rule").
//!
//! Absent by design: Codex. Nothing here knows how it is run; the daemon is asked, over
//! `client`. The one process that may start here is the daemon that is installed beside this
//! program, when that is asked for.

mod args;
mod cli;

mod ask;
mod question;
mod source;
mod start;
mod wait;
mod words;

mod completions;
mod history;
mod status;
mod template;

mod caller;
mod follow;
mod progress;
mod signals;

mod markdown;
mod output;

pub use cli::{command, main};
