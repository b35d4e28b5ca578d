//! `ci search`.

use super::args::SearchArgs;
use super::error::{CliError, Exit};
use super::output::Output;
use super::session::{Session, question};
use crate::tools::rankings::Rankings;
use crate::tools::search::{SearchRequest, Snippets, search_in};

pub(super) fn run(
    args: &SearchArgs,
    session: &Session,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let request = SearchRequest {
        query: question(&args.query)?,
        mode: args.mode.map(Into::into),
        limit: args.limit,
        snippets: if args.snippets { Snippets::Shown } else { Snippets::Left },
    };
    let answer = search_in(&session.view()?, &request, &Rankings::default(), &session.deadline)?;
    output.answer(&answer, Output::item)
}
