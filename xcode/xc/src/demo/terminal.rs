//! The interactive part of the demo: `xc` at the user's terminal with the scripted model. The user decides
//! what happens, so no result is expected. Not here: the conversation.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Parser as _;
use host::{Environment, streams};
use mock_model::MockModel;

use super::error::DemoError;
use super::project::{Project, Traces};
use super::script;
use super::stage::{Stage, settings};
use crate::chat;
use crate::cli::args::Cli;

/// The user's variables that describe the terminal and the language.
const OF_THE_TERMINAL: [&str; 9] = [
    "PATH",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "XTERM_VERSION",
    "TMUX",
    "LC_ALL",
    "LC_MESSAGES",
    "LANG",
];

/// Whether a user can answer in this terminal.
pub(super) fn is_there() -> bool {
    std::io::stdin().is_terminal() && chat::has_terminal()
}

/// Asks the user.
pub(super) async fn is_wanted() -> bool {
    streams::print("");
    streams::print(
        "6. The same at the terminal: the scripted model mends the project, and you are asked before it changes a file.",
    );
    streams::print("Press Enter to begin, or type q and Enter to end here.");
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        // End of input means no.
        read.is_ok_and(|length| length > 0) && line.trim().is_empty()
    });
    answer.await.unwrap_or(false)
}

/// Runs the conversation in its own project, and prints the result of that project's test.
///
/// # Errors
/// [`DemoError::Folder`] and [`DemoError::NotRun`].
pub(super) async fn converse(model: &MockModel, traces: Traces) -> Result<(), DemoError> {
    let project = Project::make(traces).map_err(DemoError::Folder)?;
    model.set_script(script::at_the_terminal());
    let environment = environment(&project, model);
    let cli = Cli::try_parse_from(["xc", script::MEND])
        .map_err(|error| DemoError::NotRun("xc", error.to_string()))?;
    // The conversation has its own threads; this one serves the model.
    let held = tokio::task::spawn_blocking(move || chat::run(&environment, &cli.run, &cli.place));
    held.await.map_err(|error| DemoError::NotRun("xc", error.to_string()))?;
    let after = Stage::new(&project, model)?.test()?;
    streams::print(&format!("$ sh test.sh    exit code {}: {}", after.code, after.text.trim()));
    if traces == Traces::Keep {
        streams::print(&format!("The project is in {}", project.root().display()));
    }
    Ok(())
}

/// The environment: of the user's own variables, only `PATH`, those of the terminal and the language.
fn environment(project: &Project, model: &MockModel) -> Environment {
    let users = Environment::of_process();
    let kept = users.variables().filter(|(name, _)| OF_THE_TERMINAL.iter().any(|it| it == name));
    let kept: Environment = kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let own = kept.with("HOME", project.home()).at(&project.root());
    settings(model).into_iter().fold(own, |own, (name, value)| own.with(name, value))
}
