//! The command line: its commands, and their exit codes.

pub(crate) mod args;
mod config;
mod demo;
mod doctor;
mod help;
pub(crate) mod init;
mod sessions;

use std::process::ExitCode;

use clap::CommandFactory as _;
use clap::error::ErrorKind;
use host::process::stay_unread;
use host::{Environment, streams};

use crate::exit::Exit;
use crate::{chat, print};
use args::{Cli, Command};

/// Runs the `xc` command. The hidden subcommand of `supervise` is checked first: it must run in a
/// process without threads.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(code) = supervise::guard_main(std::env::args_os()) {
        return ExitCode::from(code);
    }
    // The environment may hold keys, and the model's commands run as the same user.
    stay_unread();
    match run() {
        Exit::Answered if streams::output_lost() => Exit::Internal.into(),
        exit => exit.into(),
    }
}

fn run() -> Exit {
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    if let (Some(_), Some(given)) = (&cli.command, cli.run.given()) {
        streams::note(&format!(
            "xc: {given} belongs to a run and not to this command; `xc -- WORD` makes a word a prompt"
        ));
        return Exit::Usage;
    }
    match &cli.command {
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "xc", &mut script);
            streams::print(String::from_utf8_lossy(&script).trim_end());
            return Exit::Answered;
        }
        Some(Command::Manual) => {
            streams::print(release::manual(Cli::command()).trim_end());
            return Exit::Answered;
        }
        _ => {}
    }
    let environment = match entered(Environment::of_process(), &cli) {
        Ok(environment) => environment,
        Err(exit) => return exit,
    };
    match &cli.command {
        Some(Command::Config(args)) => config::run(&environment, &cli.place, *args),
        Some(Command::Doctor(args)) => doctor::run(&environment, &cli.place, *args),
        Some(Command::Demo(args)) => demo::run(*args),
        Some(Command::Init) => init::run(&environment, &cli.place),
        Some(Command::Sessions(args)) => sessions::run(&environment, args),
        Some(Command::Completions { .. } | Command::Manual) => Exit::Answered,
        None if cli.run.print || !chat::has_terminal() => {
            print::run(&environment, &cli.run, &cli.place)
        }
        None => chat::run(&environment, &cli.run, &cli.place),
    }
}

/// The environment, with the folder that `--cwd` names as the current one.
fn entered(environment: Environment, cli: &Cli) -> Result<Environment, Exit> {
    let Some(folder) = &cli.place.cwd else { return Ok(environment) };
    let folder = environment.working_dir().join(folder);
    match folder.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(environment.at(&folder)),
        Ok(_) | Err(_) => {
            streams::note(&format!("xc: --cwd: there is no folder {}", folder.display()));
            Err(Exit::Usage)
        }
    }
}

/// The exit code of a command line error: help and version are successes, everything else is a usage error.
fn misused(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        streams::print(text.trim_end());
        return Exit::Answered;
    }
    streams::note(text.trim_end());
    Exit::Usage
}
