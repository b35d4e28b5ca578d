//! The command `codex-auto`: a conversation with the user's own Codex in which each prompt is sent with the
//! code that it is about. Each turn calls the orchestrator, then the bridge.
//!
//! The bridge runs Codex; none is started here. If no bridge is running, one is started for this
//! program alone, and ends with it.

mod args;
mod bridge;
mod command;
mod completions;
mod conversation;
mod history;
mod interactive;
mod once;
mod output;
mod progress;
mod session;
mod stop;
mod turn;

use client::exit::Exit;
use host::streams;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use contract::failure::{Failure, FailureCode};
use host::environment::Environment;
use tokio::runtime::{Builder, Runtime};

use args::{Cli, Command};
use conversation::Conversation;

/// The `codex-auto` command.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os(), Environment::of_process()).with_output().into()
}

/// Runs one command line to its end.
fn run(args: impl IntoIterator<Item = OsString>, environment: Environment) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match &cli.command {
        Some(Command::Completions(args)) => return completions::print(args.shell),
        Some(Command::Manual) => return completions::manual(),
        None => {}
    }
    let form = cli.form();
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            let message = format!("the system gave no event queue: {error}; nothing was asked");
            return output::failure(form, &Failure::new(FailureCode::BridgeUnreachable, message));
        }
    };
    let is_conversation = cli.given_prompt().is_none() && !cli.stdin && io::stdin().is_terminal();
    let conversation = match Conversation::new(&cli, environment, &runtime) {
        Ok(conversation) => conversation,
        Err(failure) => return output::failure(form, &failure),
    };
    let exit = if is_conversation {
        interactive::run(conversation, &runtime)
    } else {
        once::run(conversation, &cli, &runtime)
    };
    // A read of standard input, or a call of the orchestrator, may still be running.
    runtime.shutdown_background();
    exit
}

/// One thread for the connection to the bridge; blocking work gets its own threads.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn refuse(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        streams::print(text.trim_end());
        return Exit::Done;
    }
    streams::note(text.trim_end());
    Exit::Input
}
