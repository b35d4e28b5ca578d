//! The command `ci`: one subcommand per tool, with text or `--json` output; `mcp`, which serves
//! all tools; and the folder of indexes. The tools' logic is elsewhere.

pub(crate) mod args;
mod bug_locate;
mod cache;
mod call_chain;
mod complexity;
mod environment;
mod error;
mod graph_rag;
mod history;
mod hotspot;
mod impact;
mod index_status;
mod mcp;
mod options;
pub(crate) mod output;
mod search;
pub(crate) mod session;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use host::Environment;

use args::{Cli, Command};
use error::{CliError, Exit, FOUND, NOTHING};
use output::Output;
use session::Session;

/// Runs `ci` with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let environment = Environment::of_process();
    let mut output = Output::standard(&cli.options, &environment);
    let result = run(&cli, environment, &mut output);
    let code = match result.and_then(|exit| output.finish().map(|()| exit)) {
        Ok(Exit::Found) => FOUND,
        Ok(Exit::Nothing) => NOTHING,
        // The reader has closed the pipe.
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => FOUND,
        Err(error) => {
            output::complain(&error);
            error.code()
        }
    };
    ExitCode::from(code)
}

fn run(cli: &Cli, environment: Environment, output: &mut Output) -> Result<Exit, CliError> {
    if let Command::Completions { shell } = &cli.command {
        let mut command = Cli::command();
        clap_complete::generate(*shell, &mut command, "ci", output);
        return Ok(Exit::Found);
    }
    if let Command::Cache(args) = &cli.command {
        return cache::run(args, &cli.options, &environment, output);
    }
    if let Command::Manual = &cli.command {
        output.write_all(release::manual(Cli::command()).as_bytes()).map_err(CliError::Output)?;
        return Ok(Exit::Found);
    }
    if matches!(cli.command, Command::History) {
        return history::run(&cli.options, &environment);
    }
    let session = Session::new(&cli.options, environment)?;
    // Unused indexes are removed before a long session or after an answer, which does not wait for it.
    if matches!(cli.command, Command::Mcp) {
        cache::tidy(&session.environment);
        return mcp::run(session);
    }
    let exit = answer(cli, &session, output)?;
    output.finish()?;
    cache::tidy(&session.environment);
    history::follow_behind(&session.engine, &session.environment);
    Ok(exit)
}

fn answer(cli: &Cli, session: &Session, output: &mut Output) -> Result<Exit, CliError> {
    match &cli.command {
        Command::IndexStatus => index_status::run(session, output),
        Command::Search(args) => search::run(args, session, output),
        Command::GraphRag(args) => graph_rag::run(args, session, output),
        Command::BugLocate(args) => bug_locate::run(args, session, output),
        Command::CallChain(args) => call_chain::run(args, session, output),
        Command::Impact(args) => impact::run(args, session, output),
        Command::Complexity(args) => complexity::run(args, session, output),
        Command::Hotspot(args) => hotspot::run(args, session, output),
        Command::Mcp
        | Command::Cache(_)
        | Command::Completions { .. }
        | Command::History
        | Command::Manual => Ok(Exit::Found),
    }
}
