//! Follows a run, with a status line on the terminal, until it ends, the timeout passes or a signal arrives.

use std::time::Duration;

use client::exit::Exit;
use client::{Follow, Followed};
use contract::event::{Event, EventName};
use contract::failure::Failure;
use contract::id::{RunId, SessionId};
use contract::run::RunState;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::args::PatienceArgs;
use crate::caller::Caller;
use crate::progress::Progress;
use crate::signals::{Signals, Stop};

/// A run that continues without this command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Pending {
    pub(crate) run_id: RunId,
    pub(crate) session_id: SessionId,
    /// Its state when the command ended.
    pub(crate) state: RunState,
    /// Why the command ended.
    pub(crate) message: String,
    /// The command that fetches its result.
    pub(crate) pick_up: String,
    /// The command that cancels it.
    pub(crate) cancel: String,
}

/// The run to follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) run_id: RunId,
    pub(crate) session_id: SessionId,
    /// Its last known state.
    pub(crate) state: RunState,
}

/// Follows a run and prints the outcome.
///
/// # Cancel safety
/// The run is not affected.
pub(crate) async fn follow(
    caller: &Caller,
    target: Target,
    deadline: Instant,
    patience: PatienceArgs,
    signals: &mut Signals,
) -> Exit {
    let follow = Follow { deadline, patience: Duration::from_secs(patience.reconnect.into()) };
    // Each event that changes the line is sent; if a slow terminal misses one, the next one corrects the line.
    let (stages, mut shown) = mpsc::channel::<(RunState, Event)>(16);
    let mut state = target.state;
    let following = caller.client.follow(target.run_id, follow, move |event: &Event| {
        if event.stage().is_some() {
            let is_queued = event.name == EventName::Queued;
            let state = if is_queued { RunState::Queued } else { RunState::Running };
            let _ = stages.try_send((state, event.clone()));
        }
    });
    tokio::pin!(following);
    let mut progress = Progress::new();
    let mut tick = interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let ended: Result<Followed, Failure> = loop {
        // Each arm is cancel safe: the follower is pinned, and a tick, a stage or a signal is either received or
        // kept.
        tokio::select! {
            followed = &mut following => break followed,
            Some((now, event)) = shown.recv() => {
                state = now;
                progress.event(event);
            }
            _ = tick.tick() => progress.draw(),
            stop = signals.next() => {
                drop(progress);
                return caller.form.pending(&stopped(target, state, stop));
            }
        }
    };
    drop(progress);
    match ended {
        Ok(Followed::Ended(outcome)) => caller.form.outcome(&outcome),
        Ok(Followed::Pending(state)) => caller.form.pending(&timed_out(target, state)),
        Err(failure) => caller.form.failure(&failure),
    }
}

fn timed_out(target: Target, state: RunState) -> Pending {
    pending(target, state, "the timeout has come before the advice; the run goes on".to_owned())
}

fn stopped(target: Target, state: RunState, stop: Stop) -> Pending {
    let message = format!("this command was ended by {}; the run goes on", stop.as_str());
    pending(target, state, message)
}

fn pending(target: Target, state: RunState, message: String) -> Pending {
    let command = |word: &str| format!("codex-advisor {word} {}", target.run_id);
    Pending {
        run_id: target.run_id,
        session_id: target.session_id,
        state,
        message,
        pick_up: command("wait"),
        cancel: command("cancel"),
    }
}
