//! The parts of an end-to-end test: a folder, a daemon, a client, and a check for surviving processes.

mod client;
mod clock;
mod codex;
mod daemon;
mod folder;
mod git;
mod neighbour;
mod runs;
mod survivors;
mod wait;
mod window_session;

pub use client::{Answer, Client, send};
pub use codex::{Newest, codex_bin, codex_versions, newest_codex};
pub use daemon::{Daemon, DaemonBuilder};
pub use folder::{StateDir, built, install};
pub use git::git;
pub use neighbour::{NEIGHBOUR, Neighbour};
pub use runs::{gone, of_run, record};
pub use survivors::{Survivor, survivors};
pub use wait::{wait_until, wait_until_some};
pub use window_session::{WindowHost, WindowSession};
