//! `ci call-chain`.

use std::io;

use clap::{Args, ValueEnum};

use super::error::{CliError, Exit};
use super::output::Output;
use super::session::Session;
use crate::tools::call_chain::{CallChainRequest, Chain, Direction, call_chain_in};

/// Which way to follow the calls.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DirectionArg {
    /// Who calls it
    Callers,
    /// What it calls
    Callees,
    /// Both
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct CallChainArgs {
    /// The symbol: `next`, `Parser::next`
    pub(crate) symbol: String,
    /// Only the definitions in this file
    #[arg(long, short)]
    pub(crate) file: Option<String>,
    /// Which way to go
    #[arg(long, short, value_enum, default_value = "both")]
    pub(crate) direction: DirectionArg,
    /// How many steps: 1 to 5
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) depth: u8,
    /// Leave out what is less certain than this: 0 to 1
    #[arg(long, default_value_t = 0.2)]
    pub(crate) certainty: f32,
    /// How many symbols
    #[arg(long, short, default_value_t = 50)]
    pub(crate) limit: usize,
}

pub(super) fn run(
    args: &CallChainArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let request = CallChainRequest {
        symbol: args.symbol.clone(),
        file: args.file.clone(),
        directions: match args.direction {
            DirectionArg::Callers => vec![Direction::Callers],
            DirectionArg::Callees => vec![Direction::Callees],
            DirectionArg::Both => vec![Direction::Callers, Direction::Callees],
        },
        depth: args.depth,
        certainty: args.certainty,
        limit: args.limit,
    };
    let answer = call_chain_in(&session.view()?, &request, &session.deadline)?;
    output.answer(&answer, print)
}

fn print(output: &mut Output, item: &Chain) -> io::Result<()> {
    let verb = match item.direction {
        Direction::Callers => "calls it",
        Direction::Callees => "is called",
    };
    output.place(&item.path, item.start_line, item.symbol.as_deref())?;
    let steps = if item.depth == 1 { "step" } else { "steps" };
    let why = format!("{:.2}  {verb}, {} {steps}: {}", item.score, item.depth, item.why.join("; "));
    let why = output.dim(&why);
    output.line(&format!("    {why}"))
}
