//! `codex-advisor wait`: follows a run that was started before.

use std::time::Duration;

use client::exit::Exit;
use contract::failure::{Failure, FailureCode};

use crate::args::WaitArgs;
use crate::caller::{Caller, soon};
use crate::follow::{self, Target};
use crate::signals::Signals;

/// Follows the run, and prints the outcome.
pub(crate) async fn run(caller: Caller, args: WaitArgs) -> Exit {
    let form = caller.form;
    let caller = match caller.reaching(args.reach) {
        Ok(caller) => caller,
        Err(failure) => return form.failure(&failure),
    };
    let deadline = caller.deadline(args.patience);
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            let message = format!("the system lets us listen for no signal: {error}");
            return caller.form.failure(&Failure::new(FailureCode::BridgeUnreachable, message));
        }
    };
    let looking = caller.client.run(args.run, Duration::ZERO, deadline.min(soon()));
    let record = tokio::select! {
        record = looking => record,
        stop = signals.next() => {
            let message = format!(
                "the command was ended by {} before the bridge answered; the run is not touched",
                stop.as_str()
            );
            Err(Failure::new(FailureCode::BridgeUnreachable, message))
        }
    };
    match record {
        Ok(record) => {
            let target = Target {
                run_id: args.run,
                session_id: record.run.session_id,
                state: record.run.state,
            };
            follow::follow(&caller, target, deadline, args.patience, &mut signals).await
        }
        Err(failure) => caller.form.failure(&failure),
    }
}
