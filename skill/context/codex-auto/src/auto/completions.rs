//! Generates completion scripts and manual pages of `codex-auto`.

use clap::CommandFactory as _;
use clap_complete::Shell;
use client::exit::Exit;
use host::streams;

use super::args::Cli;

/// Prints the completion script of a shell.
pub(super) fn print(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "codex-auto", &mut script);
    streams::print(String::from_utf8_lossy(&script).trim_end());
    Exit::Done
}

/// Prints the manual pages.
pub(super) fn manual() -> Exit {
    streams::print(release::manual(Cli::command()).trim_end());
    Exit::Done
}
