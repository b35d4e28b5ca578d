//! Handles one hook call. Whatever happens, the response is one JSON object or nothing, it
//! is written before the deadline, and the exit code is 0: the client treats every other end as no response.
//!
//! A call that could not be judged is never allowed silently, because the model controls its
//! length, form and nesting depth. At least the user is asked.

mod dispatch;

use std::cell::{OnceCell, RefCell};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use claude_hooks::{Answer, Call};

use crate::config::{self, Enabled};
use crate::environment::Environment;
use crate::event::responder::{self, HookFailure, Responder};
use crate::event::{HookContext, ResponseBuilder};
use crate::places::Places;
use crate::store::{Change, Store};

/// Answers the call on standard input.
pub fn main() -> ExitCode {
    let responder = Responder::to_stdout();
    let started = Instant::now();
    responder::catch_panics(responder);
    let environment = Environment::of_process();
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let places = Places::find(&environment, &here);
    responder.places(&places);
    let resolved = config::resolve(&environment, &places);
    responder.fail(resolved.config.fail);
    responder.due(started + resolved.config.deadline);
    if !responder::watch(responder) {
        responder.failed(&HookFailure::Unwatched);
        return ExitCode::SUCCESS;
    }

    // In a build that unwinds, the panic handler has already answered; this only ends the process.
    let answer = catch_unwind(AssertUnwindSafe(|| {
        if resolved.config.enabled == Enabled::No {
            return Ok(Answer::silent());
        }
        let call = Call::read(io::stdin().lock()).map_err(|error| error.to_string())?;
        let call = in_a_folder(call, &places);
        responder.event(&call.event);
        let allowance = dispatch::allowance(&call, &resolved.config);
        responder.due(started + allowance);
        Ok(answer(&call, &places, &resolved, started + allowance, &environment))
    }));
    match answer {
        Ok(Ok(answer)) => responder.say(&answer),
        Ok(Err(unreadable)) => responder.failed(&HookFailure::Unreadable(unreadable)),
        Err(_) => responder.failed(&HookFailure::Panic),
    }
    ExitCode::SUCCESS
}

/// The same call with a usable working folder.
fn in_a_folder(mut call: Call, places: &Places) -> Call {
    if !call.cwd.is_absolute() {
        call.cwd.clone_from(&places.project);
        call.doubts.push("`cwd` is not absolute".to_owned());
    }
    call
}

/// The response to a parsed call.
fn answer(
    call: &Call,
    places: &Places,
    resolved: &config::Resolved,
    deadline: Instant,
    environment: &Environment,
) -> Answer {
    // A tenth of the time is reserved for writing the response.
    let left = deadline.saturating_duration_since(Instant::now());
    let store = Store::new(places, deadline - left / 10);
    let context = HookContext {
        call,
        places,
        config: &resolved.config,
        faults: &resolved.faults,
        store: &store,
        environment,
        now_ms: crate::clock::now_ms(),
        deadline,
        impostor: OnceCell::new(),
        noted: RefCell::default(),
    };
    let mut reply = ResponseBuilder::default();
    dispatch::dispatch(&context, &mut reply);
    let mut changes = context.noted.take();
    for path in store.take_kept_aside() {
        let path = path.display().to_string();
        reply.message(format!("a damaged file was kept aside as {path}"));
        changes.push(Change::KeptAside { path });
    }
    if let Err(error) = store.record(&changes) {
        context.unrecorded(&error, &mut reply);
        // In the user's state folder changes stay pending until there is a ledger. If that fails too, only the message remains.
        changes.append(&mut context.noted.take());
        let _ = store.leave(&changes);
    }
    reply.into_answer(&call.event)
}
