//! Checks whether the client calls our hooks: by the plugin, or by the user's or project's settings.
//! Read-only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::context::CliContext;

/// Prefix of the plugin's id, followed by the marketplace's name.
const PLUGIN: &str = "court@";
/// The events that the court answers.
pub(super) const EVENTS: [&str; 8] = [
    "SessionStart",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "SessionEnd",
];
/// Maximum size of a settings file, in bytes.
const FILE_MAX: u64 = 4 << 20;

/// How to register the hooks.
pub(super) const HOW: &str = "\
The hooks are not wired yet. Claude Code's settings are yours, so this is not done for you:
  claude plugin marketplace add PATH-OF-CODEX-BRIDGE
  claude plugin install court@codex-bridge
The court then acts in every project; `[court] enabled = false` in ~/.config/codex-bridge/court.toml
switches it off, in a project's .court/court.toml once you accept that. `court doctor` checks the wiring.";

/// The result.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    /// The settings that enable the plugin.
    pub(super) plugin: Option<PathBuf>,
    /// The events that are registered in settings.
    pub(super) events: BTreeSet<String>,
    /// Settings that disable all hooks.
    pub(super) disabled: Vec<PathBuf>,
    /// Settings that cannot be read, and why.
    pub(super) unreadable: Vec<(PathBuf, String)>,
}

impl Wiring {
    /// Whether every event reaches the court, as far as visible.
    pub(super) fn is_complete(&self) -> bool {
        let by_hand = EVENTS.iter().all(|event| self.events.contains(*event));
        self.disabled.is_empty() && (self.plugin.is_some() || by_hand)
    }

    /// How the hooks are registered.
    pub(super) fn place(&self) -> String {
        match &self.plugin {
            Some(path) => format!("the plugin, switched on in {}", path.display()),
            None => "by hand".to_owned(),
        }
    }

    /// The events that do not reach the court, if the hooks are registered in settings.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        EVENTS.into_iter().filter(|event| !self.events.contains(*event)).collect()
    }
}

/// Reads the user's and the project's settings.
pub(super) fn look(desk: &CliContext) -> Wiring {
    let project = desk.places.project.join(".claude");
    let mut wiring = Wiring::default();
    for path in [
        desk.places.client_config.join("settings.json"),
        project.join("settings.json"),
        project.join("settings.local.json"),
    ] {
        match read(&path) {
            Ok(Some(settings)) => note(&mut wiring, &path, &settings),
            Ok(None) => {}
            Err(why) => wiring.unreadable.push((path, why)),
        }
    }
    wiring
}

fn read(path: &Path) -> Result<Option<Value>, String> {
    match fs::metadata(path) {
        Ok(found) if found.len() > FILE_MAX => return Err("it is too large".to_owned()),
        Ok(_) => {}
        Err(_) => return Ok(None),
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map(Some).map_err(|error| format!("it is no JSON: {error}"))
}

fn note(wiring: &mut Wiring, path: &Path, settings: &Value) {
    if settings["disableAllHooks"].as_bool() == Some(true) {
        wiring.disabled.push(path.to_path_buf());
    }
    let plugins = settings["enabledPlugins"].as_object().into_iter().flatten();
    for (name, enabled) in plugins {
        if name.starts_with(PLUGIN) && enabled.as_bool() == Some(true) {
            wiring.plugin = Some(path.to_path_buf());
        }
    }
    for (event, entries) in settings["hooks"].as_object().into_iter().flatten() {
        let hooks = entries.as_array().into_iter().flatten();
        let hooks = hooks.flat_map(|entry| entry["hooks"].as_array().into_iter().flatten());
        let ours = |hook: &Value| {
            let command = hook["command"].as_str().unwrap_or_default();
            let args = hook["args"].as_array().into_iter().flatten();
            let args: Vec<&str> = args.filter_map(Value::as_str).collect();
            let line = format!("{command} {}", args.join(" "));
            line.trim_end().ends_with("court hook") || line.contains("court\" hook")
        };
        if hooks.into_iter().any(ours) {
            wiring.events.insert(event.clone());
        }
    }
}
