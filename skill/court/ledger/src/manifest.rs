//! The manifest of phases: parsed, validated, and which tools its current phase allows. It may come with a clone, and can
//! only restrict. Not here: the caller, and the consequences of a refusal.

use crate::records::{Accepted, Manifest, PhaseRules, Record as _, Wish, digest};
use crate::sanitize::sanitize_line;
use crate::store::{Files, Store};

/// Programs that only read files, whatever their arguments, in a command that changes nothing.
const LOOKING: [&str; 14] = [
    "cat", "cd", "echo", "find", "git", "grep", "head", "ls", "pwd", "rg", "sort", "tail", "wc",
    "tree",
];

/// What a call does, besides its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It only reads files: equivalent to `Grep` and `Glob`, which not every host has.
    Looks,
    /// Anything else.
    Acts,
}

/// The faults of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("manifest.json: {0}")]
pub struct Unusable(String);

/// Reads the manifest in the folder of the court; `None` without one.
///
/// # Errors
/// All faults of an existing manifest, in one text.
pub fn load(court: &Files) -> Result<Option<Manifest>, Unusable> {
    let bytes = court.read(Manifest::NAME, Manifest::BYTES_MAX);
    let Some(bytes) = bytes.map_err(|error| Unusable(error.to_string()))? else {
        return Ok(None);
    };
    let mut manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| Unusable(error.to_string()))?;
    manifest.digest = digest(&bytes);
    let faults = faults(&manifest);
    if faults.is_empty() { Ok(Some(manifest)) } else { Err(Unusable(faults.join("; "))) }
}

/// Whether the user accepted the manifest in its current form. One that came with the project can restrict,
/// but its text counts as the project's.
pub fn is_accepted(store: &Store, manifest: &Manifest) -> bool {
    let accepted = store.read::<Accepted>();
    accepted.is_ok_and(|accepted| accepted.has(Wish::Manifest, &manifest.digest))
}

/// The faults of a manifest that cannot be enforced.
fn faults(manifest: &Manifest) -> Vec<String> {
    let mut faults = Vec::new();
    let phases = &manifest.phases;
    if phases.definitions.is_empty() {
        faults.push("phases.definitions is empty".to_owned());
    } else if !phases.definitions.contains_key(&phases.current) {
        let names: Vec<&str> = phases.definitions.keys().map(String::as_str).collect();
        let current = sanitize_line(&phases.current, 60);
        let names = sanitize_line(&names.join(", "), 200);
        faults.push(format!("phases.current is `{current}`, which is none of: {names}"));
    }
    faults
}

/// The tool's name in a manifest: `Task` is the old name of the client's `Agent`.
#[must_use]
pub fn plain(tool: &str) -> &str {
    if tool == "Agent" { "Task" } else { tool }
}

/// Whether the rules allow a tool, by its [`plain`] name.
#[must_use]
pub fn allows(rules: &PhaseRules, tool: &str, doing: Doing) -> bool {
    let listed = |tool: &str| {
        rules.allowed_tools.iter().any(|allowed| match allowed.strip_suffix('*') {
            Some(beginning) => tool.starts_with(beginning),
            None => plain(allowed) == tool,
        })
    };
    if let Some(rest) = tool.strip_prefix("mcp__") {
        let server = rest.split("__").next().unwrap_or_default();
        let visible = rules.mcp_visibility.as_ref();
        let seen = visible.is_none_or(|servers| servers.iter().any(|name| name == server));
        return seen && listed(tool);
    }
    listed(tool) || (doing == Doing::Looks && (listed("Grep") || listed("Glob")))
}

/// Classifies a shell call that was judged to change nothing, by the words of its commands.
pub fn of_reading<'w>(commands: impl IntoIterator<Item = &'w [String]>) -> Doing {
    let is_looking = |words: &[String]| {
        let name = words.first().and_then(|word| word.rsplit('/').next());
        name.is_some_and(|name| LOOKING.contains(&name))
    };
    let mut commands = commands.into_iter().peekable();
    match commands.peek().is_some() && commands.all(is_looking) {
        true => Doing::Looks,
        false => Doing::Acts,
    }
}
