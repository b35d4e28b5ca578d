//! The command line: the commands and their exit codes.

mod args;
mod completions;
mod config;
mod demo;
mod doctor;
mod mcp;
mod open;
mod output;
mod schema;
mod serve;
mod setup;
mod stop;
mod token;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};

use crate::config::Environment;
use crate::exit::Exit;
use args::{Cli, Command};

/// The `codex-bridge` command. A hidden subcommand of `supervise` comes before everything else: it
/// must run in a process without threads.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(code) = supervise::guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    // Files made by the daemon and its children are readable by their user alone.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    run(std::env::args_os(), &Environment::of_process()).into()
}

/// Runs one command line to its end.
fn run(args: impl IntoIterator<Item = OsString>, environment: &Environment) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let text = error.render();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    output::print(&text.to_string())
                }
                _ => {
                    output::complain(&text.to_string());
                    Exit::Usage
                }
            };
        }
    };
    match cli.command {
        Command::Serve(args) => serve::run(args, environment),
        Command::Stop(args) => stop::run(args, environment),
        Command::Open(args) => open::run(args, environment),
        Command::Demo(args) => demo::run(args, environment),
        Command::Doctor(args) => doctor::run(args, environment),
        Command::Config(args) => config::run(args, environment),
        Command::Token(args) => token::run(args, environment),
        Command::Setup(args) => setup::run(args, environment),
        Command::Schema(args) => schema::run(args),
        Command::Openapi => schema::openapi(),
        Command::Mcp(args) => mcp::run(args, environment),
        Command::Completions(args) => completions::run(args),
        Command::Manual => output::print(&release::manual(Cli::command())),
    }
}

#[cfg(test)]
mod tests;
