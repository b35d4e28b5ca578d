//! The conversation of the demo: `xc` itself at the user's terminal, asked of the scripted model. What becomes of it is the
//! user's, so nothing is expected of it. Absent: the conversation.

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

/// Variables of the user that say what the terminal can do and which language is read there.
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

/// Whether a user can answer here.
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
        // The end of the input is a no.
        read.is_ok_and(|length| length > 0) && line.trim().is_empty()
    });
    answer.await.unwrap_or(false)
}

/// Holds it in a project of its own, and says how its test ends then.
///
/// # Errors
/// [`DemoError::Folder`] and [`DemoError::NotRun`].
pub(super) async fn converse(model: &MockModel, traces: Traces) -> Result<(), DemoError> {
    let project = Project::make(traces).map_err(DemoError::Folder)?;
    model.set_script(script::at_the_terminal());
    let environment = environment(&project, model);
    let cli = Cli::try_parse_from(["xc", script::MEND])
        .map_err(|error| DemoError::NotRun("xc", error.to_string()))?;
    // It has threads of its own; the model is served by this one.
    let held = tokio::task::spawn_blocking(move || chat::run(&environment, &cli.run, &cli.place));
    held.await.map_err(|error| DemoError::NotRun("xc", error.to_string()))?;
    let after = Stage::new(&project, model)?.test()?;
    streams::print(&format!("$ sh test.sh    exit code {}: {}", after.code, after.text.trim()));
    if traces == Traces::Keep {
        streams::print(&format!("The project is in {}", project.root().display()));
    }
    Ok(())
}

/// Nothing of the user's but where programs are, the terminal and the language.
fn environment(project: &Project, model: &MockModel) -> Environment {
    let users = Environment::of_process();
    let kept = users.variables().filter(|(name, _)| OF_THE_TERMINAL.iter().any(|it| it == name));
    let kept: Environment = kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let own = kept.with("HOME", project.home()).at(&project.root());
    settings(model).into_iter().fold(own, |own, (name, value)| own.with(name, value))
}
