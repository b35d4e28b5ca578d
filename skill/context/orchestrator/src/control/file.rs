//! Parses `config/auto-tools.yaml` key by key, so that one wrong value does not hide other faults.
//! The repository may come from anyone: the file can reduce the defaults but not exceed them,
//! cannot enable tier 2, and cannot name paths outside of the repository.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use host::Beneath;
use orchestration::settings::{BUDGET, FILE, FILE_MAX, Mode, OTHER_FILE, Switch, WALL_MS_MAX};
use serde_json::{Map, Value};

use super::read::{self, fault};
use super::servers::{self, Server};
use super::{CONCURRENCY_MAX, Fault, INJECTED_CHARS_MAX, SessionMode};
use crate::limits::Limits;

/// The top-level keys, and those below `budget`.
pub(super) const KEYS: &[&str] = &[
    "auto_tools",
    "mode",
    "tier_max",
    "dry_run",
    "legacy",
    "session_mode",
    "show",
    "repo_root",
    "budget",
    "tools",
    "servers",
    "wall_ms",
    "max_concurrency",
    "max_injected_chars",
];
/// Aliases of `tier_max`, compared without case and separators. They never enable tier 2.
const TIER_KEYS: &[&str] = &[
    "tiermax",
    "maxtier",
    "tier",
    "tierlimit",
    "maxtierlevel",
    "tierlevel",
    "tier2",
    "tier2enabled",
    "enabletier2",
    "allowtier2",
    "ciautotoolstiermax",
];

/// Arguments for one tool, as in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolWish {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub args: Map<String, Value>,
}

/// The content of the file.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) switch: Option<Switch>,
    pub(super) mode: Option<Mode>,
    pub(super) dry_run: Option<bool>,
    pub(super) legacy: Option<bool>,
    pub(super) session: Option<SessionMode>,
    pub(super) repo_root: Option<PathBuf>,
    pub(super) wall_ms: Option<u64>,
    pub(super) max_concurrency: Option<u64>,
    pub(super) max_injected_chars: Option<u64>,
    pub(super) wants_tier_2: bool,
    pub(super) wishes: Vec<ToolWish>,
    pub(super) servers: Vec<Server>,
}

impl Settings {
    /// Reduces values that exceed the defaults: only the environment, which belongs to the user, can exceed them.
    /// Tier 2, the root and servers have their own rules; arguments of tools are clamped.
    fn tighten(&mut self, limits: &mut Limits) {
        let mut refuse = |key: &str| {
            limits.say(format!("{FILE}: {key} asks for more than the default and has no effect"));
        };
        if self.switch == Some(Switch::On) {
            self.switch = None;
            refuse("auto_tools");
        }
        if self.session == Some(SessionMode::ResumeLast) {
            self.session = None;
            refuse("session_mode");
        }
        for (key, value, default) in [
            ("budget.wall_ms", &mut self.wall_ms, BUDGET.wall_ms),
            ("budget.max_concurrency", &mut self.max_concurrency, BUDGET.max_concurrency),
            ("budget.max_injected_chars", &mut self.max_injected_chars, BUDGET.max_injected_chars),
        ] {
            if value.is_some_and(|value| value > default) {
                *value = None;
                refuse(key);
            }
        }
    }
}

/// Reads the file, if there is one.
pub(super) fn load(base: &Path, limits: &mut Limits, faults: &mut Vec<Fault>) -> Settings {
    let mut settings = Settings::default();
    let text = match text_of(base, FILE) {
        Ok(Some(text)) => text,
        Ok(None) => return settings,
        Err(message) => {
            faults.push(fault(FILE, message));
            return settings;
        }
    };
    match serde_saphyr::from_str::<Value>(&text) {
        Ok(Value::Object(keys)) => {
            Reader { base, settings: &mut settings, limits, faults }.keys(&keys, "");
            settings.tighten(limits);
        }
        Ok(Value::Null) => {}
        Ok(_) => {
            faults.push(fault(FILE, "expected keys and values, such as `mode: run`".to_owned()))
        }
        Err(error) => {
            let message = error.to_string();
            let first = message.lines().next().unwrap_or_default();
            faults.push(fault(FILE, format!("no valid YAML: {first}")));
        }
    }
    settings
}

/// Whether the other file contains settings that belong into ours.
pub(super) fn is_misplaced(base: &Path) -> bool {
    let Ok(Some(text)) = text_of(base, OTHER_FILE) else { return false };
    text.lines().filter_map(|line| line.split_once(':')).any(|(key, _)| {
        let key = plain(key);
        key.starts_with("ciautotools")
            || ["autotools", "autotoolorchestrator", "toolplan", "maxinjectedchars", "wallms"]
                .contains(&key.as_str())
            || TIER_KEYS.contains(&key.as_str())
    })
}

/// The text of a file below the root; a file behind a link is not read.
fn text_of(base: &Path, name: &str) -> Result<Option<String>, String> {
    let file = match Beneath::of(base).open(name) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        // Opening a pipe or a device could block.
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err("is no file".to_owned()),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    if !host::own::is_own(&base.join(name)) {
        return Err("belongs to another user and is not read".to_owned());
    }
    let mut text = String::new();
    let read = file.take(FILE_MAX + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 <= FILE_MAX => Ok(Some(text)),
        Ok(_) => Err(format!("is longer than {FILE_MAX} bytes")),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// A key without case and separators.
fn plain(key: &str) -> String {
    let kept = key.chars().filter(|char| char.is_alphanumeric());
    kept.map(|char| char.to_ascii_lowercase()).collect()
}

struct Reader<'s> {
    base: &'s Path,
    settings: &'s mut Settings,
    limits: &'s mut Limits,
    faults: &'s mut Vec<Fault>,
}

impl Reader<'_> {
    fn keys(&mut self, keys: &Map<String, Value>, above: &str) {
        for (key, value) in keys {
            let place = format!("{FILE}: {above}{key}");
            if TIER_KEYS.contains(&plain(key).as_str()) {
                self.tier(&place, value);
                continue;
            }
            match (key.as_str(), value) {
                ("budget", Value::Object(inner)) => self.keys(inner, "budget."),
                ("tools", Value::Object(tools)) => self.tools(tools),
                ("servers", Value::Null) => {}
                ("servers", value) => {
                    self.settings.servers =
                        servers::read(self.base, value, self.limits, self.faults);
                }
                (key, _) => self.key(key, &place, value),
            }
        }
    }

    fn key(&mut self, key: &str, place: &str, value: &Value) {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Null => return,
            Value::Array(_) | Value::Object(_) => String::from("a list or a map"),
        };
        let faults = &mut *self.faults;
        let mut note = |message| faults.push(fault(place, message));
        let number = |max| read::number(&text, 1, max);
        let settings = &mut *self.settings;
        match key {
            "auto_tools" => settings.switch = read::switch(&text).map_err(&mut note).ok(),
            "mode" => settings.mode = read::mode(&text).map_err(&mut note).ok(),
            "dry_run" => settings.dry_run = read::flag(&text).map_err(&mut note).ok(),
            "legacy" => settings.legacy = read::flag(&text).map_err(&mut note).ok(),
            "session_mode" => settings.session = read::session(&text).map_err(&mut note).ok(),
            // The entry decides how much the user is shown.
            "show" => drop(read::show(&text).map_err(&mut note)),
            "repo_root" => settings.repo_root = Some(PathBuf::from(text)),
            "wall_ms" => settings.wall_ms = number(WALL_MS_MAX).map_err(&mut note).ok(),
            "max_concurrency" => {
                settings.max_concurrency = number(CONCURRENCY_MAX).map_err(&mut note).ok();
            }
            "max_injected_chars" => {
                settings.max_injected_chars = number(INJECTED_CHARS_MAX).map_err(&mut note).ok();
            }
            _ => self.unknown(place, key),
        }
    }

    fn tier(&mut self, place: &str, value: &Value) {
        let wanted = match value {
            Value::Bool(wanted) => Some(*wanted),
            Value::Number(number) => number.as_f64().map(|number| number >= 2.0),
            Value::String(text) => {
                let digits: String = text.chars().filter(char::is_ascii_digit).collect();
                digits.parse::<u64>().ok().map(|number| number >= 2)
            }
            _ => None,
        };
        match wanted {
            Some(wanted) => self.settings.wants_tier_2 |= wanted,
            None => self.faults.push(fault(place, "expected 1".to_owned())),
        }
    }

    fn tools(&mut self, tools: &Map<String, Value>) {
        for (tool, args) in tools {
            match args {
                Value::Object(args) => {
                    let wish = ToolWish { tool: tool.clone(), args: args.clone() };
                    self.settings.wishes.push(wish);
                }
                Value::Null => {
                    self.settings.wishes.push(ToolWish { tool: tool.clone(), args: Map::new() });
                }
                _ if TIER_KEYS.contains(&plain(tool).as_str()) => self.tier(tool, args),
                _ => {
                    let place = format!("{FILE}: tools.{tool}");
                    let message = "expected arguments, such as `{ depth: 2 }`".to_owned();
                    self.faults.push(fault(&place, message));
                }
            }
        }
    }

    /// Reports a key of a later version or a typing mistake, which has no effect.
    fn unknown(&mut self, place: &str, key: &str) {
        let near = KEYS.iter().map(|known| (strsim::damerau_levenshtein(key, known), known)).min();
        let hint = match near {
            Some((distance, known)) if distance <= 3 => format!("; did you mean `{known}`?"),
            _ => String::new(),
        };
        self.limits.say(format!("{place} is unknown and has no effect{hint}"));
    }
}
