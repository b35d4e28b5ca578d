//! `xc -p`: one turn without a user. Only the answer (or its JSON) is written to standard output; the rest
//! goes to standard error.

mod host;
pub(crate) mod input;
mod output;
mod progress;
mod signals;
mod told;

use ::host::{Environment, streams};
use agent::Host as _;
use contract::xc::{EndReason, What};
use tokio::runtime::Builder;

use crate::cli::args::{PlaceArgs, RunArgs};
use crate::compose::{self, Answers, Composed};
use crate::config::Config;
use crate::exit::Exit;
use crate::ledger;
use crate::refused::Refused;
use crate::system;
use host::PrintHost;
use signals::Signals;

/// Worker threads: one is free for signals while a tool keeps another busy.
const WORKERS: usize = 2;

/// Runs one turn until it ends.
pub(crate) fn run(environment: &Environment, args: &RunArgs, place: &PlaceArgs) -> Exit {
    let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return told::told(Refused::internal(error), args.output_format),
    };
    let exit = runtime.block_on(async {
        match turn(environment, args, place).await {
            Ok(exit) => exit,
            Err(refused) => told::told(refused, args.output_format),
        }
    });
    // A thread may still be reading standard input; it is not waited for.
    runtime.shutdown_background();
    exit
}

async fn turn(
    environment: &Environment,
    args: &RunArgs,
    place: &PlaceArgs,
) -> Result<Exit, Refused> {
    let signals = Signals::listen().map_err(Refused::internal)?;
    if let Some(missing) = system::missing() {
        streams::note(&format!("xc: {missing}"));
    }
    let config = Config::read(environment, place.places(environment))?;
    config.notes.iter().for_each(|note| streams::note(&format!("xc: {note}")));
    let Composed { mut session, start, window, notes, hints, known, keeping, .. } =
        compose::session(environment, &config, args, Answers::Nobody, None).await?;
    let prompt = asked(args.prompt.clone(), window, &signals).await?;
    known.hear(args.prompt.as_deref().unwrap_or(&prompt));
    let host = PrintHost::new(args.output_format, session.id(), hints, config.language.value);
    host.tell(start);
    notes.into_iter().for_each(|text| host.tell(What::Note { text }));
    match (args.plan, args.trust) {
        (true, _) => session.enter_plan(&host),
        // The command line applies now: changes are allowed, so plan mode ends.
        (false, true) => session.leave_plan(&host),
        (false, false) => {}
    }
    let mut end = session.turn(&prompt, &host, &signals.cancel).await;
    session.end_tasks(&host).await;
    if let Some(exit) = signals.exit().filter(|_| end.reason == EndReason::Interrupted) {
        end.exit = exit as u8;
    }
    let exit = Exit::of_turn(end.exit);
    let places = agent::Places::new(&config.home, environment.working_dir());
    let (id, language) = (session.id(), config.language.value);
    if let Some(text) = ledger::settle(keeping.ledger.as_ref(), &places, id, None, language) {
        host.tell(What::Note { text });
    }
    host.finish(end);
    Ok(exit)
}

/// The prompt, unless a signal arrives first.
async fn asked(words: Option<String>, window: u64, signals: &Signals) -> Result<String, Refused> {
    let read = tokio::task::spawn_blocking(move || input::prompt(words.as_deref(), window));
    tokio::select! {
        // Cancel safe: unread input stays in the pipe.
        read = read => Ok(read.map_err(Refused::internal)??),
        () = signals.cancel.cancelled() => {
            Err(Refused::interrupted(signals.exit().unwrap_or(Exit::Interrupted)))
        }
    }
}
