//! `codex-bridge setup`.

use serde_json::json;

use super::args::{ClaudeCodeArgs, SetupArgs, SetupTarget};
use super::output;
use crate::claude_settings::{Applied, Change, Outcome, RULES, Run, apply, path};
use crate::config::Environment;
use crate::exit::Exit;

pub(super) fn run(args: SetupArgs, environment: &Environment) -> Exit {
    match args.target {
        SetupTarget::ClaudeCode(args) => claude_code(args, environment),
    }
}

fn claude_code(args: ClaudeCodeArgs, environment: &Environment) -> Exit {
    let settings = args.settings.map(|path| environment.working_dir().join(path));
    let settings = settings.map_or_else(|| path(environment), Ok);
    let change = if args.remove { Change::Remove } else { Change::Add };
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let applied = settings.and_then(|settings| apply(&settings, change, run));
    match applied {
        Ok(applied) if args.json => output::print_json(&json!({
            "settings": applied.path.display().to_string(),
            "rules": RULES,
            "outcome": applied.outcome.as_str(),
            "backup": applied.backup.as_ref().map(|path| path.display().to_string()),
            "dry_run": args.dry_run,
            "warnings": applied.warnings,
        })),
        Ok(applied) => output::print(&told(&applied, change, run)),
        Err(error) => output::fail(&error, Exit::Failed),
    }
}

/// The result as text.
fn told(applied: &Applied, change: Change, run: Run) -> String {
    let path = applied.path.display();
    let would = if run == Run::Dry { "would be " } else { "" };
    let rules = RULES.join(", ");
    let mut text = match (applied.outcome, change) {
        (Outcome::Unchanged, Change::Add) => format!("nothing to do: {path} allows {rules}\n"),
        (Outcome::Unchanged, Change::Remove) => {
            format!("nothing to do: {path} has none of {rules}\n")
        }
        (Outcome::Removed, _) => {
            format!("{path} {would}removed: nothing but our rules was in it\n")
        }
        (Outcome::Made | Outcome::Changed, Change::Add) => {
            format!("{rules} {would}added to permissions.allow of {path}\n")
        }
        (Outcome::Made | Outcome::Changed, Change::Remove) => {
            format!("our rules {would}removed from permissions.allow of {path}\n")
        }
    };
    if let Some(backup) = &applied.backup {
        text += &format!("the old file {would}kept as {}\n", backup.display());
    }
    for warning in &applied.warnings {
        text += &format!("warning: {warning}\n");
    }
    text
}
