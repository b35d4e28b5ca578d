//! The `codex-advisor` command: asks the advisor through the daemon, and always prints a result.
//!
//! In any case, standard output gets exactly one JSON document (or its Markdown form), and the exit
//! code says who has to act. Every wait has a limit. If a run continues, its id and the
//! command for fetching its result are printed.
//!
//! Models may run this command without permission for each call. So no argument selects an address, a
//! token, a state folder or a program, a file is only shown if it is a question, and only the
//! runs of the caller's project are visible (SECURITY.md, "The allow rule").
//!
//! By design, nothing here knows how Codex is run; the daemon is used through
//! `client`. The only process that may be started is the daemon that is installed beside this
//! program, on request.

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
