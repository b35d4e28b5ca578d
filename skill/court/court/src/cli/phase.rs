//! `court phase`: shows or changes the phase in the manifest. The rest of the file is kept.

use serde_json::{Value, json};

use super::accept;
use super::context::CliContext;
use super::output::{Failed, Output};
use crate::asker::Terminal;
use crate::clock;
use crate::manifest;
use crate::records::{Cursor, Manifest, Record as _, Step, Wish};

/// `court phase`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The phase to change to; none: show them
    name: Option<String>,
}

/// Shows the phases, or switches to another.
pub(super) fn phase(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    let manifest = manifest::load(&desk.store).map_err(|error| Failed::Wrong(error.to_string()));
    let Some(name) = &args.name else { return show(manifest?) };
    desk.person(Terminal::Needed)?;
    let path = desk.store.court().path(Manifest::NAME);
    let was_accepted =
        matches!(&manifest, Ok(Some(found)) if manifest::is_accepted(&desk.store, found));
    let wrong = |error: &dyn std::fmt::Display| {
        Failed::Wrong(format!("{} cannot be changed: {error}", path.display()))
    };
    let bytes = desk.store.court().read(Manifest::NAME, Manifest::BYTES_MAX)?.unwrap_or_default();
    let mut file: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
    let names: Vec<String> = file["phases"]["definitions"]
        .as_object()
        .map(|phases| phases.keys().cloned().collect())
        .unwrap_or_default();
    if !names.contains(name) {
        let names = names.join(", ");
        return Err(Failed::Input(format!("the manifest has no phase `{name}`; it has: {names}")));
    }
    file["phases"]["current"] = json!(name);
    let bytes = serde_json::to_vec_pretty(&file).map_err(|error| wrong(&error))?;
    desk.store.court().replace(Manifest::NAME, &bytes)?;
    if was_accepted {
        accept::agree(desk, Wish::Manifest, &bytes)?;
    }
    let task = file["task_id"].as_str().map(str::to_owned);
    desk.store.update(|cursor: &mut Cursor| {
        cursor.task_id = task;
        cursor.phase = Some(name.clone());
        cursor.steps.push(Step { phase: name.clone(), at: clock::text(desk.now_ms) });
    })?;
    Ok(Output::done(format!("The phase is `{name}` now."), json!({"phase": name})))
}

fn show(manifest: Option<Manifest>) -> Result<Output, Failed> {
    let Some(manifest) = manifest else {
        let text = "There is no .court/manifest.json: no phases are enforced. See `court init`.";
        return Ok(Output::done(text.to_owned(), json!({"phase": null, "phases": []})));
    };
    let mut lines = vec![format!("Task {}", manifest.task_id)];
    for (name, rules) in &manifest.phases.definitions {
        let mark = if *name == manifest.phases.current { "*" } else { " " };
        lines.push(format!("{mark} {name}: {}", rules.allowed_tools.join(", ")));
        if !rules.allowed_tools.iter().any(|tool| tool == "Task" || tool == "Agent") {
            lines
                .push("    (without Task the main agent cannot delegate in this phase)".to_owned());
        }
    }
    let names: Vec<&String> = manifest.phases.definitions.keys().collect();
    let json = json!({"phase": manifest.phases.current, "phases": names});
    Ok(Output::done(lines.join("\n"), json))
}
