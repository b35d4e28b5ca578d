//! `codex-advisor show`, `runs` and `cancel`.

use std::time::Duration;

use client::RunQuery;
use client::exit::Exit;
use contract::run::RunState;

use crate::args::{RunsArgs, ShowArgs};
use crate::caller::{Caller, soon};

/// Prints a run's record. The exit code is that of its outcome, or says that the run continues.
pub(crate) async fn show(caller: Caller, args: ShowArgs) -> Exit {
    let form = caller.form;
    let caller = match caller.reaching(args.reach) {
        Ok(caller) => caller,
        Err(failure) => return form.failure(&failure),
    };
    match caller.client.run(args.run, Duration::ZERO, soon()).await {
        Ok(record) => {
            caller.form.record(&record);
            match (&record.run.state, record.ended()) {
                (_, Some(outcome)) => Exit::of_outcome(&outcome),
                (RunState::Queued | RunState::Running, None) => Exit::Pending,
                (_, None) => Exit::Done,
            }
        }
        Err(failure) => caller.form.failure(&failure),
    }
}

/// Prints a page of the history.
pub(crate) async fn runs(caller: Caller, args: RunsArgs) -> Exit {
    let form = caller.form;
    let caller = match caller.reaching(args.reach) {
        Ok(caller) => caller,
        Err(failure) => return form.failure(&failure),
    };
    let query = RunQuery {
        state: args.state,
        session_id: args.session,
        before: args.before,
        limit: Some(args.limit),
    };
    match caller.client.runs(&query, soon()).await {
        Ok(page) => {
            caller.form.page(&page);
            Exit::Done
        }
        Err(failure) => caller.form.failure(&failure),
    }
}

/// Cancels a run.
pub(crate) async fn cancel(caller: Caller, args: ShowArgs) -> Exit {
    let form = caller.form;
    let caller = match caller.reaching(args.reach) {
        Ok(caller) => caller,
        Err(failure) => return form.failure(&failure),
    };
    match caller.client.cancel(args.run, soon()).await {
        Ok(summary) => {
            caller.form.summary(&summary);
            Exit::Done
        }
        Err(failure) => caller.form.failure(&failure),
    }
}
