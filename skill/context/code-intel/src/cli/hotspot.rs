//! `ci hotspot`.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use super::environment::program_path;
use super::error::{CliError, Exit};
use super::output::Output;
use super::session::Session;
use crate::tools::hotspot::{DAYS, Hotspot, HotspotRequest, hotspot_in};
use crate::tools::scope::Tests;

#[derive(Debug, Args)]
pub(crate) struct HotspotArgs {
    /// Files or folders from the root [default: everything]
    pub(crate) paths: Vec<String>,
    /// How many days of history count
    #[arg(long, short, default_value_t = DAYS)]
    pub(crate) days: u32,
    /// Count tests too
    #[arg(long)]
    pub(crate) tests: bool,
    /// How many files
    #[arg(long, short, default_value_t = 20)]
    pub(crate) limit: usize,
}

pub(super) fn run(
    args: &HotspotArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let request = HotspotRequest {
        days: args.days,
        now,
        paths: args.paths.clone(),
        tests: if args.tests { Tests::Counted } else { Tests::Left },
        limit: args.limit,
        program_path: program_path(&session.environment).to_owned(),
    };
    let answer = hotspot_in(&session.view()?, &request, &session.deadline)?;
    output.answer(&answer, print)
}

fn print(output: &mut Output, item: &Hotspot) -> io::Result<()> {
    output.place(&item.path, item.start_line, item.symbol.as_deref())?;
    let why = output.dim(&format!("{:.0}  {}", item.score, item.why.join("; ")));
    output.line(&format!("    {why}"))
}
