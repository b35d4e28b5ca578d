//! The command `context-inject`: reads one prompt and prints the text to put before it, in the format of the
//! client. Claude Code calls it before each prompt, without arguments; users and wrappers
//! around Codex select a format by arguments.

mod args;
mod claude;
mod client;
mod completions;
mod hook_commands;
mod input;
mod install;
mod install_location;
mod message;
mod once;
mod output;
mod settings;
mod shown_lines;
mod verify;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::time::Instant;

use ::host::environment::{self, Environment};
use clap::Parser as _;
use claude_hooks::prompt::{Origin, origin};
use claude_hooks::settings::file::CLAUDE_CONFIG_DIR;
use claude_hooks::{Event, project_env};
use orchestration::exit::Exit;
use orchestration::limits;
use orchestration::report::Client;
use orchestration::variables;

use crate::control;
use crate::enrich::{Enriched, enrich, unasked};
use crate::kept::keep;
use crate::other_subject::is_other;
use crate::question::Question;
use args::{Cli, Command, Format};
use input::{Input, Shape};
use once::Prompt;

/// The `context-inject` command.
#[must_use]
pub fn main() -> ExitCode {
    let begun = Instant::now();
    let environment = Environment::of_process();
    let mut args = std::env::args_os();
    // A hook has no arguments, and no time for an argument parser.
    let cli = if args.len() <= 1 { Ok(Cli::hook()) } else { Cli::try_parse_from(&mut args) };
    match cli {
        Ok(cli) => run(cli, environment, begun),
        Err(error) => args::refuse(&error, &environment).into(),
    }
}

fn run(mut cli: Cli, environment: Environment, begun: Instant) -> ExitCode {
    match cli.command.take() {
        Some(Command::Completions(args)) => completions::print(args.shell).into(),
        Some(Command::Manual) => completions::manual().into(),
        Some(Command::Install(args)) => hook_commands::install(&args, &environment),
        Some(Command::Uninstall(args)) => hook_commands::uninstall(&args, &environment),
        Some(Command::Verify(args)) => hook_commands::verify(&args, &environment),
        None => inject(&cli, environment, begun).into(),
    }
}

fn inject(cli: &Cli, environment: Environment, begun: Instant) -> Exit {
    let (environment, taken) = users(environment);
    let environment = if cli.plan { planning(environment) } else { environment };
    let input = match &cli.prompt {
        _ if cli.tool.is_some() => Ok(Input::Tool),
        Some(prompt) => {
            let question = Question {
                prompt: prompt.clone(),
                client: Client::codex_cli(None),
                cwd: input::folder(&environment),
                context_max: None,
            };
            Ok(Input::Question(question, Shape::Words))
        }
        None if io::stdin().is_terminal() => Err(input::InputError::Nothing),
        None => input::read(io::stdin().lock(), &input::folder(&environment)),
    };
    let input = input.map(|input| input.at(cli.cwd.as_deref(), environment.working_dir()));
    match input {
        Ok(Input::Hook(call)) => {
            let format = cli.format.unwrap_or(Format::Hook);
            let Event::UserPromptSubmit { prompt } = call.event else {
                return output::print(format, &silent(&environment), "", "");
            };
            let question = Question {
                prompt,
                client: Client::claude_code(Some(call.session_id.clone())),
                cwd: call.cwd,
                context_max: Some(claude::CONTEXT_ASKED),
            };
            // The client's own notifications and commands are not questions about code.
            let is_asked = origin(&question.prompt) == Origin::Typed
                && !control::is_off(&environment, &question.cwd);
            let is_first = || {
                let words = Prompt::Words(&question.prompt);
                let prompt = call.prompt_id.as_deref().map_or(words, Prompt::Id);
                once::claim(&environment, &call.session_id, prompt)
            };
            if !is_asked || !is_first() {
                return output::print(
                    format,
                    &unasked(&question, &environment),
                    &question.prompt,
                    "",
                );
            }
            // The hook's format of an empty report is empty; the other formats show the orchestrator's text.
            let mut enriched = if format == Format::Hook && is_other(&question, &environment) {
                silent(&environment)
            } else {
                enrich(&question, &environment, begun)
            };
            if !taken.is_empty() {
                let words = limits::PROJECTS_VARIABLES;
                enriched.report.say(&format!("{words}: {}", taken.join(", ")));
            }
            let message = message::tell(&mut enriched, &question, &environment);
            let elapsed = begun.elapsed();
            let exit = output::print(format, &enriched, &question.prompt, &message);
            keep(&enriched, &environment, elapsed);
            exit
        }
        Ok(Input::Question(question, shape)) => {
            let format = cli.format.unwrap_or_else(|| Format::usual(shape));
            let question = if format == Format::Hook { claude::asks(question) } else { question };
            let mut enriched = if question.prompt.trim().is_empty() {
                unasked(&question, &environment)
            } else {
                enrich(&question, &environment, begun)
            };
            let message = match format {
                Format::Hook => message::tell(&mut enriched, &question, &environment),
                Format::Json | Format::Text | Format::Prompt => String::new(),
            };
            let elapsed = begun.elapsed();
            let exit = output::print(format, &enriched, &question.prompt, &message);
            keep(&enriched, &environment, elapsed);
            exit
        }
        Ok(Input::Tool) => {
            let refused = empty(&environment, limits::BYPASS, "", Exit::Misconfigured);
            output::print(
                cli.format.unwrap_or(Format::Json),
                &refused,
                "",
                &message::once(&refused),
            )
        }
        Err(error) => {
            let exit = error.exit();
            let failed = empty(&environment, limits::UNAVAILABLE, &error.to_string(), exit);
            output::print(cli.format.unwrap_or(Format::Hook), &failed, "", &message::once(&failed))
        }
    }
}

/// The environment without variables set by the client's project settings, and their names: a cloned repository
/// must not decide which program is started, what it may cost, or where the user's files are.
fn users(environment: Environment) -> (Environment, Vec<String>) {
    let Some(project) = environment.folder(project_env::PROJECT_DIR) else {
        return (environment, Vec::new());
    };
    let (environment, taken) = project_env::without(environment, &project, is_users_own);
    (environment, taken.into_iter().map(|(name, _)| name).collect())
}

fn is_users_own(name: &str) -> bool {
    let ours = ["CI_", "CODEX_", "XDG_"].iter().any(|prefix| name.starts_with(prefix));
    ours || [environment::HOME, environment::PATH, CLAUDE_CONFIG_DIR].contains(&name)
}

/// An empty report with a reason, for input that is not a question.
fn empty(environment: &Environment, words: &str, details: &str, exit: Exit) -> Enriched {
    let Enriched { report, .. } = silent(environment);
    Enriched { report: report.because(words, details), exit }
}

/// An empty report for input that is not a question.
fn silent(environment: &Environment) -> Enriched {
    unasked(
        &Question {
            prompt: String::new(),
            client: Client::codex_cli(None),
            cwd: environment.working_dir().to_owned(),
            context_max: None,
        },
        environment,
    )
}

/// The same environment, with plan mode set.
fn planning(environment: Environment) -> Environment {
    environment.with(variables::MODE, "plan")
}
