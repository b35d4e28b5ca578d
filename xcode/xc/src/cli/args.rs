//! The grammar of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use contract::id::SessionId;
use host::Environment;

use super::help;
use crate::config::Places;
use crate::config::SandboxMode;
use crate::words::Language;

/// Works on code in the current folder: reads, edits, runs commands, and answers.
#[derive(Debug, Parser)]
#[command(
    name = "xc",
    version = release::VERSION,
    disable_help_subcommand = true,
    disable_version_flag = true,
    max_term_width = 100,
    after_help = help::AFTER
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// Print version
    #[arg(short = 'v', long = "version", action = ArgAction::Version)]
    _version: Option<bool>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What is asked, and how.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct RunArgs {
    /// What to do, in your words
    pub(crate) prompt: Option<String>,

    /// Run once, print the answer, exit
    #[arg(short, long)]
    pub(crate) print: bool,

    /// The model: an alias such as sonnet, or provider:model
    #[arg(short, long, value_name = "ID")]
    pub(crate) model: Option<String>,

    /// Run ordinary changes without asking; dangerous ones are still not run
    #[arg(short, long)]
    pub(crate) trust: bool,

    /// Start in plan mode: only a plan is written, and with -p it is the answer
    #[arg(long)]
    pub(crate) plan: bool,

    /// Maximum number of model calls per prompt
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,

    /// Maximum estimated cost of the session, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,

    /// Resume the last session of this folder, or the one with this ID
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = LAST, value_parser = resumed)]
    pub(crate) resume: Option<Resume>,

    /// Continue in a copy of the session; needs --resume
    #[arg(long, requires = "resume")]
    pub(crate) fork: bool,

    /// What is printed on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output_format: OutputFormat,

    /// Lines only, without cursor movement: for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// What confines commands; default: sandbox.mode of the settings
    #[arg(long, value_name = "MODE", value_enum)]
    pub(crate) sandbox: Option<SandboxMode>,

    /// Send no code with the prompt, and offer no tools to search it
    #[arg(long)]
    pub(crate) no_context: bool,

    /// Another folder to work in; can be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
}

/// Where it happens; for every command.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct PlaceArgs {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub(crate) cwd: Option<PathBuf>,

    /// Read this file instead of ~/.xcode/config.json
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// The language of what you read; else that of the settings, else that of LC_ALL, LC_MESSAGES, LANG
    #[arg(long, value_name = "LANG", value_enum, global = true)]
    pub(crate) lang: Option<Language>,
}

impl PlaceArgs {
    /// The places of the settings, with the options of the command line.
    pub(crate) fn places<'p>(&'p self, environment: &'p Environment) -> Places<'p> {
        let root = environment.working_dir();
        Places { root, named: self.config.as_deref(), language: self.lang }
    }
}

/// Which session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// The last one of the folder.
    Last,
    Named(SessionId),
}

/// What a run prints on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The answer
    Text,
    /// One object when it is over (schemas/xc-result.schema.json)
    Json,
    /// One event a line, as it happens (schemas/xc-event.schema.json)
    StreamJson,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the project's .x-code, filled in from its files; what is there is not changed
    Init,
    /// List the sessions of this folder, show one, or remove one
    Sessions(SessionsArgs),
    /// Show each setting with where it is from; keys are masked
    Config(FormatArgs),
    /// Check keys, files and this machine, and suggest fixes
    Doctor(FormatArgs),
    /// See xc work on a small project with a scripted model, then try it yourself; no account is needed
    Demo(DemoArgs),
    /// Print a completion script
    Completions {
        /// For this shell
        shell: Shell,
    },
    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DemoArgs {
    /// Leave the demo's folder in place
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List them, the newest first
    List,
    /// Show what is known of one
    Show {
        /// Which
        id: SessionId,
    },
    /// Remove one with all its files
    Rm {
        /// Which
        id: SessionId,
    },
}

/// The value for the last session.
const LAST: &str = "last";

impl RunArgs {
    /// The first option or word of a run, for reporting it in a command line where it does not belong.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.prompt.is_some(), "a prompt"),
            (self.print, "--print"),
            (self.model.is_some(), "--model"),
            (self.trust, "--trust"),
            (self.plan, "--plan"),
            (self.max_cost.is_some(), "--max-cost"),
            (self.resume.is_some(), "--resume"),
            (self.output_format != OutputFormat::Text, "--output-format"),
            (self.plain, "--plain"),
            (self.sandbox.is_some(), "--sandbox"),
            (self.no_context, "--no-context"),
            (!self.add_dir.is_empty(), "--add-dir"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// Parses the command line.
///
/// `--resume` takes the following word only if that is the id of a session; otherwise it is the prompt.
///
/// # Errors
/// The errors of the command line; also a request for help or the version.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut is_literal = false;
    for word in words {
        let id = word.to_str().filter(|word| word.parse::<SessionId>().is_ok());
        match (joined.last_mut(), id) {
            (Some(before), Some(id)) if !is_literal && before == "--resume" => {
                *before = format!("--resume={id}").into();
            }
            _ => {
                is_literal |= word == "--";
                joined.push(word);
            }
        }
    }
    Cli::try_parse_from(joined)
}

fn resumed(text: &str) -> Result<Resume, String> {
    if text == LAST {
        return Ok(Resume::Last);
    }
    text.parse().map(Resume::Named).map_err(|_| "it is not the id of a session".to_owned())
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount: Option<f64> = text.trim_start_matches('$').parse().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount > 0.0)
        .ok_or_else(|| "it is not an amount above 0".to_owned())
}

#[cfg(test)]
mod tests;
