//! The command line. `court hook` is recognised first, because it runs before
//! every tool call.

mod accept;
mod approve;
mod approver;
mod client;
mod context;
mod cost;
mod doctor;
mod explain;
mod init;
mod ledger;
mod limits;
mod output;
mod packets;
mod phase;
mod status;
mod window;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use context::CliContext;
use output::{Exit, Output};

/// Facts, gates and a ledger for Claude Code's sessions.
#[derive(Parser)]
#[command(
    name = "court",
    version = release::VERSION,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "\
Examples:
  court init                       settings for this project, and how to wire the hooks
  court status                     mode, open entries, pending requests
  court explain 'rm -rf build'     what the gate makes of a command, and why
  court approve                    what waits for a review
  court approve R3                 let exactly that call run once
  court refuse R3                  it does not run, and is not asked for again for a while
  court accept                     what the project would like, and what came with it
  court approver init              from now on an approval takes your passphrase
  court doctor                     is everything wired and writable

The project is CLAUDE_PROJECT_DIR, or the nearest folder upwards with .court, .claude/historian or .git.
Settings: court.toml in .court/ and in ~/.config/codex-bridge/, and COURT_* variables.
Exit codes: 0 done, 1 something is wrong or not there, 2 wrong command line or input."
)]
struct Cli {
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write commented settings into .court/ and tell how to wire the hooks
    Init(init::Args),
    /// Show the mode, the open ledger entries, and pending requests
    Status,
    /// List the ledger's anchors
    Ledger(ledger::Args),
    /// Resolve anchors: a risk that is dealt with, a task that is over
    Resolve(ledger::ResolveArgs),
    /// Show the phases of the manifest, or change to another
    Phase(phase::Args),
    /// Show how the gate reads a command: its parse, its level, the rules
    Explain(explain::Args),
    /// List what waits for a review, or let requests run once
    Approve(approve::Args),
    /// Refuse requests: the same call is not asked for again for a while
    Refuse(approve::RefuseArgs),
    /// Show what the project would like and what came with it, or agree to it as it stands
    Accept(accept::Args),
    /// Show or make the key by which the user's approvals are known
    Approver(approver::Args),
    /// Have Codex review a request through codex-bridge
    Review(approve::ReviewArgs),
    /// List the fact packets, or show one
    Packets(packets::Args),
    /// Check settings, files and hooks, and suggest fixes
    Doctor,
    /// Tell the daemon's pages of all projects, or of one
    #[command(hide = true)]
    Window(window::Args),
    /// Print a completion script
    Completions {
        /// For this shell
        shell: Shell,
    },
    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
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
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::misused(&error),
    };
    let desk = CliContext::of_process();
    let result = match &cli.command {
        Command::Hook => return crate::hook::main(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "court", &mut script);
            return output::write(&script, Exit::Done);
        }
        Command::Manual => {
            let pages = release::manual(Cli::command());
            return output::write(pages.as_bytes(), Exit::Done);
        }
        Command::Init(args) => init::init(&desk, args),
        Command::Status => status::status(&desk),
        Command::Ledger(args) => ledger::list(&desk, args),
        Command::Resolve(args) => ledger::resolve(&desk, args),
        Command::Phase(args) => phase::phase(&desk, args),
        Command::Explain(args) => explain::explain(&desk, args),
        Command::Approve(args) => approve::approve(&desk, args),
        Command::Refuse(args) => approve::refuse(&desk, args),
        Command::Window(args) => window::window(&desk, args),
        Command::Accept(args) => accept::accept(&desk, args),
        Command::Approver(args) => approver::approver(&desk, args),
        Command::Review(args) => approve::review(&desk, args),
        Command::Packets(args) => packets::packets(&desk, args),
        Command::Doctor => doctor::doctor(&desk),
    };
    let format = if cli.json { output::Format::Json } else { output::Format::Text };
    result.unwrap_or_else(Output::from).print(format)
}
