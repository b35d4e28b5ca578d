//! `ci impact`.

use std::io;

use clap::Args;

use super::environment::program_path;
use super::error::{CliError, Exit};
use super::output::Output;
use super::session::Session;
use crate::tools::impact::{ImpactRequest, Impacted, Target, impact_in};

#[derive(Debug, Args)]
pub(crate) struct ImpactArgs {
    /// A file from the root, or a symbol [default: what differs between the work tree and HEAD]
    pub(crate) target: Option<String>,
    /// The target is a symbol, though a file has its name
    #[arg(long, short)]
    pub(crate) symbol: bool,
    /// How many steps: 1 to 5
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) depth: u8,
    /// How many places
    #[arg(long, short, default_value_t = 50)]
    pub(crate) limit: usize,
}

pub(super) fn run(
    args: &ImpactArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let view = session.view()?;
    let target = match &args.target {
        None => Target::WorkingDiff,
        Some(name) if !args.symbol && view.find(name).is_some() => Target::File(name.clone()),
        Some(name) => Target::Symbol(name.clone()),
    };
    let request = ImpactRequest {
        target,
        depth: args.depth,
        limit: args.limit,
        program_path: program_path(&session.environment).to_owned(),
    };
    let answer = impact_in(&view, &request, &session.deadline)?;
    output.answer(&answer, print)
}

fn print(output: &mut Output, item: &Impacted) -> io::Result<()> {
    output.place(&item.path, item.start_line, item.symbol.as_deref())?;
    let relation = format!("{:?}", item.relation).to_lowercase();
    let why = format!("{:.2}  {relation}: {}", item.score, item.why.join("; "));
    let why = output.dim(&why);
    output.line(&format!("    {why}"))
}
