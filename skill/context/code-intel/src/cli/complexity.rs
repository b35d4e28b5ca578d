//! `ci complexity`.

use std::io;

use clap::{Args, ValueEnum};

use super::error::{CliError, Exit};
use super::output::Output;
use super::session::Session;
use crate::tools::complexity::{ComplexityRequest, FunctionComplexity, Order, complexity_in};
use crate::tools::scope::Tests;

/// By what functions are ordered.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OrderArg {
    /// Effort to follow
    Cognitive,
    /// Ways through
    Cyclomatic,
}

#[derive(Debug, Args)]
pub(crate) struct ComplexityArgs {
    /// Files or folders from the root [default: everything]
    pub(crate) paths: Vec<String>,
    /// Worst in this first
    #[arg(long, short, value_enum, default_value = "cognitive")]
    pub(crate) order: OrderArg,
    /// Only functions of at least this complexity
    #[arg(long, short, default_value_t = 0, value_name = "N")]
    pub(crate) min: u32,
    /// Measure tests too
    #[arg(long)]
    pub(crate) tests: bool,
    /// How many functions
    #[arg(long, short, default_value_t = 20)]
    pub(crate) limit: usize,
}

pub(super) fn run(
    args: &ComplexityArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let request = ComplexityRequest {
        paths: args.paths.clone(),
        tests: if args.tests { Tests::Counted } else { Tests::Left },
        order: match args.order {
            OrderArg::Cognitive => Order::Cognitive,
            OrderArg::Cyclomatic => Order::Cyclomatic,
        },
        at_least: args.min,
        limit: args.limit,
    };
    let answer = complexity_in(&session.view()?, &request, &session.deadline)?;
    output.answer(&answer, print)
}

fn print(output: &mut Output, item: &FunctionComplexity) -> io::Result<()> {
    output.place(&item.path, item.start_line, Some(&item.symbol))?;
    let why = output.dim(&item.why.join("; "));
    output.line(&format!("    {why}"))
}
