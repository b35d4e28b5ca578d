//! The command line: its commands, and how its errors are reported.

use client::exit::Exit;
use host::streams;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use contract::failure::{Failure, FailureCode, Violation};
use host::agent::Caller as Asker;

use crate::args::{Cli, Command, FormArgs};
use crate::caller::Caller;
use crate::output::Form;
use crate::{ask, completions, history, status, template, wait};

/// The `codex-advisor` command.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os(), Asker::of_process).with_output().into()
}

/// The definition of the command line, for the reference and the manual pages.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs one command line.
fn run(args: impl IntoIterator<Item = OsString>, asker: impl FnOnce() -> Asker) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let caller = |form: FormArgs| Caller::new(asker(), Form::of(form));
    match cli.command {
        Command::Ask(args) => caller(args.form).run(async |caller| ask::run(caller, args).await),
        Command::Wait(args) => caller(args.form).run(async |caller| wait::run(caller, args).await),
        Command::Show(args) => {
            caller(args.form).run(async |caller| history::show(caller, args).await)
        }
        Command::Runs(args) => {
            caller(args.form).run(async |caller| history::runs(caller, args).await)
        }
        Command::Cancel(args) => {
            caller(args.form).run(async |caller| history::cancel(caller, args).await)
        }
        Command::Template(args) => template::run(args),
        Command::Status(args) => caller(args.form).run(async |caller| status::run(caller).await),
        Command::Completions(args) => completions::run(args),
        Command::Manual => completions::manual(),
    }
}

/// Reports a wrong command line: clap's message for people on standard error, and the contract's failure for programs
/// on standard output.
fn refuse(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        streams::print(text.trim_end());
        return Exit::Done;
    }
    streams::note(text.trim_end());
    if Form::usual() == Form::Json {
        let first = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "no command was given",
            _ => &first,
        };
        let message = format!("the command line is wrong: {message}");
        let violation = Violation::new("", message.clone()).with_hint(
            "`codex-advisor --help` and `codex-advisor COMMAND --help` say what there is",
        );
        let failure =
            Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation]);
        Form::Json.failure(&failure);
    }
    Exit::Input
}
