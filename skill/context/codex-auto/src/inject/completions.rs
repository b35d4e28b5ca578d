//! Generates completion scripts and manual pages of `context-inject`.

use clap::CommandFactory as _;
use clap_complete::Shell;
use orchestration::exit::Exit;

use super::args::Cli;
use super::output;

/// Prints the script of a shell.
pub(super) fn print(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "context-inject", &mut script);
    output::write(&script, Exit::Done)
}

/// Prints the manual pages.
pub(super) fn manual() -> Exit {
    output::write(release::manual(Cli::command()).as_bytes(), Exit::Done)
}
