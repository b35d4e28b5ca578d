//! `court doctor`: checks for set-up mistakes, each with a fix.

use host::find_program;
use serde_json::json;

use super::client::{self, Proven};
use super::context::CliContext;
use super::output::{Exit, Failed, Output};
use super::{approver, limits, wiring};
use crate::agents;
use crate::approver::{KeyState, Voucher};
use crate::config::{ApproveBy, Enabled, ReviewBy};
use crate::fence;
use crate::manifest;
use crate::records::{Capability, Cursor, Folder, Ledger, Reviews, SessionState, Standing, Tree};
use crate::review;
use crate::store::{Files, StoreError};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Health {
    Good,
    Notice,
    Bad,
}

struct Check {
    health: Health,
    what: &'static str,
    text: String,
}

/// Runs all checks.
pub(super) fn doctor(desk: &CliContext) -> Result<Output, Failed> {
    let mut checks = Vec::new();
    let mut add = |health, what, text: String| checks.push(Check { health, what, text });
    settings(desk, &mut add);
    hooks(desk, &mut add);
    folders(desk, &mut add);
    files(desk, &mut add);
    match manifest::load(&desk.store) {
        Ok(None) => add(Health::Good, "manifest", "none: no phases are enforced".to_owned()),
        Ok(Some(manifest)) => {
            add(Health::Good, "manifest", format!("phase {}", manifest.phases.current));
        }
        Err(unusable) => add(Health::Bad, "manifest", format!("{unusable}; mend the file")),
    }
    approvals(desk, &mut add);
    programs(desk, &mut add);
    versions(desk, &mut add);
    reviewers(desk, &mut add);
    capabilities(desk, &mut add);
    for (proven, text) in client::look(desk) {
        let health = if proven == Proven::Yes { Health::Good } else { Health::Notice };
        add(health, "client", text);
    }

    let worst = checks.iter().map(|check| check.health).max().unwrap_or(Health::Good);
    let line = |check: &Check| format!("{} {:<12} {}", mark(check.health), check.what, check.text);
    let limits = limits::KNOWN.iter().map(|limit| format!("limit  {limit}"));
    let text = checks.iter().map(line).chain(limits).collect::<Vec<_>>().join("\n");
    let list: Vec<_> = checks
        .iter()
        .map(|check| {
            json!({"check": check.what, "health": mark(check.health).trim(), "text": check.text})
        })
        .collect();
    let exit = if worst == Health::Bad { Exit::Wrong } else { Exit::Done };
    Ok(Output { text, json: json!({"checks": list, "limits": limits::KNOWN}), exit })
}

fn mark(health: Health) -> &'static str {
    match health {
        Health::Good => "ok    ",
        Health::Notice => "note  ",
        Health::Bad => "wrong ",
    }
}

fn settings(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    for fault in &desk.resolved.faults {
        add(Health::Bad, "settings", format!("{fault} (not used)"));
    }
    if desk.resolved.faults.is_empty() {
        add(Health::Good, "settings", "no fault".to_owned());
    }
    if desk.resolved.config.enabled == Enabled::No {
        add(Health::Notice, "settings", "court.enabled is false: every hook is silent".to_owned());
    }
}

fn hooks(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let wired = wiring::look(desk);
    for (path, why) in &wired.unreadable {
        // The client silently drops all hooks of such a file.
        add(Health::Bad, "hooks", format!("{}: {why}; its hooks do not run", path.display()));
    }
    for path in &wired.disabled {
        let path = path.display();
        add(Health::Bad, "hooks", format!("{path} has disableAllHooks: no hook runs at all"));
    }
    if wired.is_complete() {
        add(Health::Good, "hooks", format!("wired: {}", wired.place()));
    } else if wired.plugin.is_none() && !wired.events.is_empty() {
        let missing = wired.missing().join(", ");
        add(Health::Bad, "hooks", format!("`court hook` is not wired for: {missing}"));
    } else if wired.plugin.is_none() {
        add(Health::Notice, "hooks", wiring::HOW.replace('\n', "\n       "));
    }
}

fn folders(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let named =
        [(Folder::Historian, "ledger"), (Folder::Court, "project"), (Folder::Grants, "state")];
    for (folder, name) in named {
        let checked = desk.store.files(folder).and_then(|files| {
            let path = files.path("");
            match files.is_there() {
                true => try_to_write(files).map(|()| format!("{} can be written", path.display())),
                false => Ok(format!("{} is made when it is needed", path.display())),
            }
        });
        match checked {
            Ok(text) => add(Health::Good, name, text),
            Err(error) => {
                let form = Capability::Store.form();
                add(Health::Bad, name, format!("{error}: {form}"));
            }
        }
    }
}

fn try_to_write(files: &Files) -> Result<(), StoreError> {
    files.replace(".doctor", b"")?;
    files.remove(".doctor")
}

fn files(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let results = [
        ("cal.json", desk.store.read::<Ledger>().map(drop)),
        ("delegation-tree.json", desk.store.read::<Tree>().map(drop)),
        ("session-state.json", desk.store.read::<SessionState>().map(drop)),
        ("reviews.json", desk.store.read::<Reviews>().map(drop)),
        ("cursor.json", desk.store.read::<Cursor>().map(drop)),
    ];
    let mut whole = 0;
    for (name, result) in results {
        match result {
            Ok(()) => whole += 1,
            Err(error) => add(Health::Bad, "files", format!("{name}: {error}")),
        }
    }
    add(Health::Good, "files", format!("{whole} of 5 can be read"));
    let mut aside = desk.store.take_kept_aside();
    let grants = desk.store.files(Folder::Grants).ok();
    for files in [desk.store.historian(), desk.store.court()].into_iter().chain(grants) {
        let names = files.names().into_iter();
        let damaged = names.filter(|name| name.to_string_lossy().contains(".corrupt-"));
        aside.extend(damaged.map(|name| files.path(name)));
    }
    aside.sort();
    aside.dedup();
    for path in aside {
        let text = format!("{} was damaged and kept aside; look, then remove it", path.display());
        add(Health::Notice, "files", text);
    }
}

fn approvals(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let line = approver::line(desk);
    let only_user = desk.resolved.config.approver == ApproveBy::User;
    let (health, what_is_left) = match desk.places.approver().standing() {
        KeyState::Broken(_) => (Health::Bad, ""),
        KeyState::Absent if only_user => (Health::Bad, "; run `court approver init` at a terminal"),
        KeyState::Absent => (
            Health::Notice,
            ". Without a key, a program of yours that leaves the client behind, or types into one of your \
             terminals, passes for you",
        ),
        KeyState::Known { by: Voucher::User, .. } => (
            Health::Notice,
            ". A program of yours that rewrites all of your files could put another key there: `sudo court \
             approver pin` has root vouch for this one",
        ),
        KeyState::Known { by: Voucher::Root, .. } => {
            (Health::Good, ". Not stopped: a program that reads what you type")
        }
    };
    add(health, "approver", format!("{line}{what_is_left}"));
}

fn programs(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let path = desk.environment.text("PATH").unwrap_or_default();
    let has = |name: &str| find_program(name, path.as_ref()).is_some();
    match has("git") {
        true => add(Health::Good, "git", "found".to_owned()),
        false => {
            let text = "not found on the PATH: packets have no diff, the historian no log";
            add(Health::Notice, "git", text.to_owned());
        }
    }
    if desk.resolved.config.reviewer == ReviewBy::Codex {
        match review::codex::program() {
            Ok(_) => add(Health::Good, "reviewer", "codex-advisor found".to_owned()),
            Err(why) => {
                let text =
                    format!("court.reviewer is \"codex\" and the historian reviews instead: {why}");
                add(Health::Notice, "reviewer", text);
            }
        }
    }
}

fn versions(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    match release::compare(Some(&desk.places.client_config)) {
        Ok(line) => add(Health::Good, "versions", line),
        Err(strays) => {
            for stray in strays {
                let text = format!("{}; {}", stray.message, stray.mend);
                add(Health::Notice, "versions", text);
            }
        }
    }
}

fn reviewers(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let names: Vec<&str> =
        desk.resolved.config.historian_agents.iter().map(String::as_str).collect();
    if let Some(file) = agents::impostor(&desk.places, &desk.here, &names) {
        let text = format!(
            "{} may define an agent under the historian's name: in this project only you approve",
            file.display()
        );
        add(Health::Notice, "reviewer", fence::sanitize_line(&text, 400));
    }
}

fn capabilities(desk: &CliContext, add: &mut impl FnMut(Health, &'static str, String)) {
    let seen = desk.store.read::<Ledger>().unwrap_or_default().metadata.capabilities;
    for capability in Capability::ALL {
        let meaning = capability.meaning();
        match seen.get(&capability) {
            None => add(Health::Good, capability.number(), format!("{meaning}: not seen yet")),
            Some(found) if found.standing == Standing::Works => {
                add(Health::Good, capability.number(), format!("{meaning}: {}", found.why));
            }
            Some(found) => {
                let form = capability.form();
                let text = format!("{meaning}: no, {}; instead: {form}", found.why);
                add(Health::Notice, capability.number(), text);
            }
        }
    }
}
