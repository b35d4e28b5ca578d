//! The command line. `court hook` is told apart before anything else is looked at: it runs before
//! every tool call.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Facts, gates and a ledger for Claude Code's sessions.
#[derive(Parser)]
#[command(name = "court", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer one hook call of Claude Code (reads it from standard input)
    Hook,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "hook") && words.next().is_none() {
        return crate::hook::main();
    }
    match Cli::parse().command {
        Command::Hook => crate::hook::main(),
    }
}
