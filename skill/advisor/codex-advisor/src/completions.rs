//! Completion scripts and manual pages, generated from the definition of the command line.

use clap::CommandFactory;
use client::exit::Exit;
use host::streams;

use crate::args::{Cli, CompletionsArgs};

/// Prints the completion script of a shell.
pub(crate) fn run(args: CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "codex-advisor", &mut script);
    streams::print(String::from_utf8_lossy(&script).trim_end());
    Exit::Done
}

/// Prints the manual pages.
pub(crate) fn manual() -> Exit {
    streams::print(release::manual(Cli::command()).trim_end());
    Exit::Done
}
