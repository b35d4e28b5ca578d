//! `codex-advisor ask`: parses the question, starts a run, and follows it.

use client::exit::Exit;
use contract::failure::{Failure, FailureCode, FailureKind, Violation};
use contract::input::AdvisorInput;
use contract::key::IdempotencyKey;
use contract::run::Accepted;
use host::streams;
use tokio::time::{Instant, timeout_at};

use crate::args::AskArgs;
use crate::caller::Caller;
use crate::follow::{self, Target};
use crate::question::{Question, Replacements};
use crate::signals::{Signals, Stop};
use crate::{source, start};

/// Sends the question, and prints the outcome.
pub(crate) async fn run(caller: Caller, args: AskArgs) -> Exit {
    let deadline = caller.deadline(args.patience);
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            let message = format!("the system lets us listen for no signal: {error}");
            return caller.form.failure(&Failure::new(FailureCode::BridgeUnreachable, message));
        }
    };
    let patience = args.patience;
    let accepted = tokio::select! {
        accepted = submit(&caller, args, deadline) => accepted,
        stop = signals.next() => Err(stopped(stop)),
    };
    match accepted {
        Ok(Accepted { run_id, session_id, state }) => {
            streams::note(&format!("run_id: {run_id}"));
            let target = Target { run_id, session_id, state };
            follow::follow(&caller, target, deadline, patience, &mut signals).await
        }
        Err(failure) => caller.form.failure(&failure),
    }
}

async fn submit(caller: &Caller, args: AskArgs, deadline: Instant) -> Result<Accepted, Failure> {
    let text =
        timeout_at(deadline, source::read(args.file, caller)).await.map_err(|_| unfinished())??;
    let replacements = Replacements { phase: args.phase.map(Into::into), session_id: args.session };
    let question = Question::read(&text, replacements)?;
    let key = key(args.key.as_deref(), &question.input)?;
    if args.start {
        question.check(replacements)?;
        start::ensure(caller, deadline).await?;
    }
    // A caller that names the request wants exactly that run.
    let may_be_asked = match args.key.is_some() || args.again {
        true => Ok(()),
        false => caller.client.may_ask(&question.input, deadline).await,
    };
    let accepted = match may_be_asked {
        Ok(()) => caller.client.submit(&question.input, &key, deadline).await,
        Err(failure) => Err(failure),
    };
    match accepted {
        // Faults in the question are reported before those of the bridge.
        Err(failure) if failure.error.kind == FailureKind::BridgeFailure => {
            question.check(replacements)?;
            Err(failure)
        }
        other => other,
    }
}

/// The key that the caller chose, or a new one.
fn key(given: Option<&str>, input: &AdvisorInput) -> Result<IdempotencyKey, Failure> {
    let Some(given) = given else { return Ok(IdempotencyKey::fresh(input)) };
    IdempotencyKey::parse(given).ok_or_else(|| {
        let message = "--key is not a name of 1 to 255 visible ASCII characters without blanks";
        let violation = Violation::new("", message).with_hint("a UUID is a good key");
        Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation])
    })
}

fn unfinished() -> Failure {
    let message = "the question did not end before the timeout; nothing was asked";
    Failure::new(FailureCode::ContractViolation, message).with_details(vec![
        Violation::new("", message).with_hint("close standard input after the text"),
    ])
}

fn stopped(stop: Stop) -> Failure {
    let message = format!(
        "the command was ended by {} before the bridge had taken the question; if it did take it, \
         `codex-advisor runs` shows the run",
        stop.as_str()
    );
    Failure::new(FailureCode::BridgeUnreachable, message)
}
