//! `auto-tool-orchestrator trust`: shows which servers a repository's file would start, and asks whether to trust it.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write as _};
use std::path::Path;

use intent::root::Root;
use orchestration::exit::Exit;
use orchestration::settings::FILE;

use crate::control::{self, Server, When};
use crate::environment::Environment;
use crate::limits::Limits;
use crate::trust::Trust;

/// What to do with the servers.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Trust them without asking
    #[arg(long, conflicts_with = "remove")]
    yes: bool,
    /// No longer trust them
    #[arg(long)]
    remove: bool,
}

/// Runs the command; returns the text to print.
pub(super) fn run(args: &Args, cwd: Option<&Path>, environment: &Environment) -> (String, Exit) {
    match servers(cwd, environment) {
        Ok(servers) if servers.is_empty() => (format!("{FILE} names no servers\n"), Exit::Done),
        Ok(servers) => decide(args, &servers, &Trust::new(environment)),
        Err(faults) => failed(&faults),
    }
}

/// The servers of the repository's file.
fn servers(cwd: Option<&Path>, environment: &Environment) -> Result<Vec<Server>, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let cwd = here.join(cwd.unwrap_or(&here));
    let root = Root::find(environment, &cwd).map_err(|error| error.to_string())?;
    let control = control::resolve(environment, &root.path, &mut Limits::default());
    let control = control
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    Ok(control.servers)
}

fn decide(args: &Args, servers: &[Server], trust: &Trust) -> (String, Exit) {
    let mut text = String::new();
    for server in servers {
        text.push_str(&described(server, trust.has(server)));
    }
    if args.remove {
        return match servers.iter().try_for_each(|server| trust.remove(server).map(drop)) {
            Ok(()) => (text + "none of them is trusted now\n", Exit::Done),
            Err(error) => failed(&error.to_string()),
        };
    }
    if servers.iter().all(|server| trust.has(server)) {
        return (text + "all of them are trusted\n", Exit::Done);
    }
    let agreed = if args.yes {
        true
    } else if io::stdin().is_terminal() {
        asked(&std::mem::take(&mut text))
    } else {
        let hint = "nothing is trusted without an answer: run it in a terminal, or give --yes";
        return failed(&format!("{text}{hint}"));
    };
    if !agreed {
        return (text + "nothing was changed\n", Exit::Done);
    }
    match servers.iter().try_for_each(|server| trust.add(server)) {
        Ok(()) => (text + "all of them are trusted now\n", Exit::Done),
        Err(error) => failed(&format!("the answer could not be kept: {error}")),
    }
}

/// The description of what a server would start, for the user's decision.
fn described(server: &Server, is_trusted: bool) -> String {
    // Shown unchanged except for control characters, since the user judges this text.
    let clean = |text: &str| redact::visible_line(text).into_owned();
    let words: Vec<String> =
        server.command.iter().map(|word| format!("{:?}", clean(word))).collect();
    let state = if is_trusted { "trusted" } else { "not trusted" };
    let mut text = format!("{} ({state})\n  command: {}\n", clean(&server.name), words.join(" "));
    for (name, value) in &server.env {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  variable: {}={:?}", clean(name), clean(value));
    }
    for (ours, theirs) in server.tools.iter().flatten() {
        let _ = writeln!(text, "  tool: {ours} is its {}", clean(&theirs.tool));
    }
    for (name, own) in &server.own {
        let when = match &own.when {
            When::Code => "all prompts about code".to_owned(),
            When::Words(words) => format!("prompts with {}", clean(&format!("{words:?}"))),
        };
        let theirs = clean(&own.mapped.tool);
        let _ = writeln!(text, "  tool: {name} is its {theirs}, for {when} (tier {})", own.tier);
    }
    text
}

fn asked(text: &str) -> bool {
    let mut terminal = io::stderr().lock();
    let asked = write!(
        terminal,
        "{}Let them be started for prompts about this repository? [y/N] ",
        redact::visible(text)
    );
    let mut answer = String::new();
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut answer));
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn failed(why: &str) -> (String, Exit) {
    // If standard error is closed, the message cannot be shown.
    let _ = writeln!(io::stderr().lock(), "{}", redact::visible(why));
    (String::new(), Exit::Misconfigured)
}
