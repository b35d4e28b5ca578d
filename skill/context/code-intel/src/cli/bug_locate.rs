//! `ci bug-locate`.

use super::args::BugLocateArgs;
use super::error::{CliError, Exit};
use super::output::Output;
use super::session::{Session, question};
use crate::tools::bug_locate::{BugLocateRequest, bug_locate_in};
use crate::tools::search::Snippets;

pub(super) fn run(
    args: &BugLocateArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let request = BugLocateRequest {
        text: question(&args.text)?,
        limit: args.limit,
        snippets: if args.snippets { Snippets::Shown } else { Snippets::Left },
    };
    let answer = bug_locate_in(&session.view()?, &request, &session.deadline)?;
    output.answer(&answer, Output::item)
}
