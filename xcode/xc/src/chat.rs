//! The interactive program: a conversation in the terminal. One pure function ([`update`]) applies each event to the
//! state ([`state`]) and returns effects; a driver carries them out and paints the state. Not here: how the parts look
//! (`view`), and the terminal itself (`terminal`).

mod answering;
mod apart;
mod asking;
mod attach;
mod attention;
mod dialog;
mod driver;
mod ending;
mod event;
mod history;
mod host;
mod memory;
mod opening;
mod paint;
mod signals;
mod slash;
mod state;
mod submit;
mod tasks;
#[cfg(test)]
mod tests;
mod told;
mod undo;
mod update;

use ::host::{Environment, streams};
use std::io::IsTerminal as _;

use tokio::runtime::Builder;

use crate::cli::args::{PlaceArgs, RunArgs};
use crate::config::Config;
use crate::exit::Exit;
use crate::models::{self, NoModel};
use crate::print::input;
use crate::refused::Refused;
use crate::system;
use crate::terminal::{Colours, Form, Reflow, Terminal};
use crate::wizard;
use driver::Driver;

/// Worker threads for the session, so that keys are handled while it works.
const WORKERS: usize = 2;

/// Whether an interactive conversation is possible: the output is a terminal, and keys come from standard input or
/// from the controlling terminal.
pub(crate) fn has_terminal() -> bool {
    let terminal = || std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").is_ok();
    std::io::stdout().is_terminal() && (std::io::stdin().is_terminal() || terminal())
}

/// Runs a conversation until it ends.
pub(crate) fn run(environment: &Environment, args: &RunArgs, place: &PlaceArgs) -> Exit {
    let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refused(Refused::internal(error)),
    };
    let exit = runtime.block_on(async {
        match converse(environment, args, place).await {
            Ok(exit) => exit,
            Err(error) => refused(error),
        }
    });
    // A tool that does not end is ended by its run guard when this process exits.
    runtime.shutdown_background();
    exit
}

async fn converse(
    environment: &Environment,
    args: &RunArgs,
    place: &PlaceArgs,
) -> Result<Exit, Refused> {
    if let Some(missing) = system::missing() {
        streams::note(&format!("xc: {missing}"));
    }
    let read = || Config::read(environment, place.places(environment));
    let mut config = read()?;
    let words = config.language.value;
    // Piped input is read before the terminal is opened; the model's window is not known yet.
    let prompt = match (&args.prompt, std::io::stdin().is_terminal()) {
        (prompt, true) => prompt.clone(),
        (prompt, false) => {
            let words = prompt.clone();
            let read =
                tokio::task::spawn_blocking(move || input::prompt(words.as_deref(), PIPED_WINDOW));
            Some(read.await.map_err(Refused::internal)??)
        }
    };
    let mut terminal = Terminal::open(form(environment, args)).map_err(Refused::internal)?;
    if let Err(NoModel::NoKeyAtAll { .. }) = models::choose(&config, args.model.as_deref()) {
        let shown = match config.path.strip_prefix(&config.home) {
            Ok(below) => format!("~/{}", below.display()),
            Err(_) => config.path.display().to_string(),
        };
        let outcome = wizard::run(&mut terminal, words, &config.path, &shown).await;
        match outcome.map_err(Refused::internal)? {
            wizard::Outcome::Saved => config = read()?,
            wizard::Outcome::Left => return Ok(Exit::NoModel),
        }
    }
    let mut driver = Driver::new(environment, config, args.clone(), place, words);
    driver.run(&mut terminal, prompt).await.map_err(Refused::internal)
}

/// The window that a piped text is cut to, in tokens: that of the smallest common models.
const PIPED_WINDOW: u64 = 128_000;

/// How lines are shown to the user.
fn form(environment: &Environment, args: &RunArgs) -> Form {
    let term = environment.text("TERM").unwrap_or_default();
    if args.plain || term == "dumb" {
        return Form::Plain;
    }
    let colours = match environment.text("NO_COLOR") {
        Some(value) if !value.is_empty() => Colours::Off,
        _ => Colours::On,
    };
    let is_cutting = environment.is_set("XTERM_VERSION")
        || term == "linux"
        || (term.starts_with("screen") && !environment.is_set("TMUX"));
    Form::Painted(colours, if is_cutting { Reflow::Cuts } else { Reflow::Wraps })
}

/// Prints why there is no conversation. Keys and settings are named as with `-p`.
fn refused(refused: Refused) -> Exit {
    refused.lines.iter().for_each(|line| streams::note(&format!("xc: {line}")));
    refused.exit
}
