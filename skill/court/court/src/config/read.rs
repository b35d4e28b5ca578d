//! Merges four layers. A layer is a list of keys and values; each value is validated in its layer.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use gate::Policy;
use host::Beneath;
use toml::{Table, Value};

use super::keys::{Accepts, ByProject, KEYS, Key};
use super::{
    ApproveBy, Config, DEFAULT_FILE, Enabled, Fail, Fault, ReviewBy, ReviewWhen, Source, Verdict,
};
use crate::environment::Environment;
use crate::fence;
use crate::places::{COURT, Places};
use crate::records::{Accepted, Wish, digest};
use crate::store::{Files, Store, is_absent};

/// The largest settings file that is read, in bytes.
const FILE_MAX: u64 = 256 << 10;

/// Maximum number of a file's entries, because they are read before every call.
const ENTRIES_MAX: usize = 100;

/// The settings with their sources, and the faults.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The settings.
    pub config: Config,
    /// Every key with its value and source, in the order of the default file.
    pub settings: Vec<(&'static str, Value, Source)>,
    /// The faults.
    pub faults: Vec<Fault>,
}

/// Resolves the settings.
pub fn resolve(environment: &Environment, places: &Places) -> Resolved {
    let mut faults = environment.taken().iter().map(taken).collect();
    let mut settings: Vec<(&'static str, Value, Source)> = Vec::new();
    for (key, value) in KEYS.iter().zip(defaults()) {
        settings.push((key.name, value, Source::Default));
    }
    let user = Source::User(places.user_config.clone());
    let project = Source::Project(places.project_config());
    let layers = [
        file(&user, users_text(&places.user_config), &mut faults),
        file(&project, project_text(places), &mut faults),
        variables(environment, &mut faults),
    ];
    let trust = if is_accepted(places) { Trust::Accepted } else { Trust::Clone };
    for (name, value, source) in layers.into_iter().flatten() {
        let Some(at) = KEYS.iter().position(|key| key.name == name) else {
            faults.push(unknown(&name, source));
            continue;
        };
        let key = &KEYS[at];
        if let Err(what) = key.accepts.check(&value) {
            let what = format!("{}: {}", key.name, shown(&what));
            faults.push(Fault { source_of: source, what });
            continue;
        }
        let of_project = matches!(source, Source::Project(_));
        if of_project && matches!(key.project, ByProject::Never) {
            if value == settings[at].1 {
                continue;
            }
            let what = format!("{} is for your own file alone; a project's is not used", key.name);
            faults.push(Fault { source_of: source, what });
            continue;
        }
        let by_clone = of_project && trust == Trust::Clone;
        if !by_clone {
            settings[at] = (key.name, value, source);
            continue;
        }
        match key.project.combine(&settings[at].1, &value) {
            Some(held) if held == settings[at].1 => {}
            Some(held) => settings[at] = (key.name, held, source),
            None => {
                let what = format!(
                    "{} = {}: a project can only make rules stricter; `court accept settings` is the \
                     user's way to agree",
                    key.name,
                    shown(&value.to_string())
                );
                faults.push(Fault { source_of: source, what });
            }
        }
    }
    Resolved { config: config(&settings), settings, faults }
}

/// Whether the user accepted the project's settings in their current form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Accepted,
    Clone,
}

fn is_accepted(places: &Places) -> bool {
    let Ok(Some(text)) = project_text(places) else { return false };
    let store = Store::new(places, Instant::now());
    let accepted = store.read::<Accepted>();
    accepted.is_ok_and(|accepted| accepted.has(Wish::Settings, &digest(text)))
}

/// The fault for a variable that the client's project settings set.
fn taken(taken: &(String, String)) -> Fault {
    let (name, file) = taken;
    let what = format!(
        "{file} of the project sets {name}, which is the user's to set: the user's own value holds"
    );
    Fault { source_of: Source::Client, what }
}

/// Text from a file by an unknown writer, made safe to show.
fn shown(text: &str) -> String {
    fence::sanitize_line(text, 200)
}

fn defaults() -> Vec<Value> {
    let table: Table = DEFAULT_FILE.parse().expect("the default file is TOML: a test reads it");
    let value = |key: &Key| {
        let (section, name) = key.name.split_once('.').expect("a key has two parts");
        table[section][name].clone()
    };
    KEYS.iter().map(value).collect()
}

type Layer = Vec<(String, Value, Source)>;

/// The text of the user's file, which may be behind links of the user.
fn users_text(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Err(error) if is_absent(&error) => return Ok(None),
        Ok(found) if found.is_file() && found.len() <= FILE_MAX => {}
        Ok(_) => return Err(format!("is no file of at most {FILE_MAX} bytes")),
        Err(error) => return Err(format!("cannot be read: {error}")),
    }
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let mut file = File::open(path).map_err(unreadable)?;
    host::own::check_settings(&file, path).map_err(|error| format!("is not used: {error}"))?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    Ok(Some(text))
}

/// The text of the project's file.
pub(crate) fn project_text(places: &Places) -> Result<Option<String>, String> {
    let court = Files::new(Beneath::of(&places.project), COURT);
    let bytes = court.read("court.toml", FILE_MAX).map_err(|error| error.to_string())?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| "is not UTF-8".to_owned())
}

fn file(source: &Source, text: Result<Option<String>, String>, faults: &mut Vec<Fault>) -> Layer {
    let mut fault = |what: String| faults.push(Fault { source_of: source.clone(), what });
    let table = match text.map(|text| text.map(|text| text.parse::<Table>())) {
        Ok(Some(Ok(table))) => table,
        Ok(None) => return Vec::new(),
        Ok(Some(Err(error))) => {
            fault(format!("is no TOML: {}", fence::sanitize(error.to_string().trim_end(), 500)));
            return Vec::new();
        }
        Err(what) => {
            fault(what);
            return Vec::new();
        }
    };
    let mut layer = Vec::new();
    for (section, content) in table {
        match content {
            Value::Table(keys) => {
                for (name, value) in keys {
                    layer.push((format!("{section}.{name}"), value, source.clone()));
                }
            }
            _ => layer.push((section, content, source.clone())),
        }
    }
    if layer.len() > ENTRIES_MAX {
        fault(format!("has more than {ENTRIES_MAX} entries; those after them are not read"));
        layer.truncate(ENTRIES_MAX);
    }
    layer
}

fn variables(environment: &Environment, faults: &mut Vec<Fault>) -> Layer {
    let mut layer = Vec::new();
    for key in KEYS {
        let Some(variable) = key.variable else { continue };
        let Some(text) = environment.text(variable) else { continue };
        let value = match key.accepts {
            Accepts::Bool => text.parse().map(Value::Boolean).ok(),
            Accepts::Number { .. } => text.parse().map(Value::Integer).ok(),
            Accepts::Word(_) | Accepts::Texts | Accepts::Patterns => {
                Some(Value::String(text.to_owned()))
            }
        };
        let source = Source::Environment(variable);
        match value {
            Some(value) => layer.push((key.name.to_owned(), value, source)),
            None => {
                let what = format!("`{text}` is not {}", key.accepts.words());
                faults.push(Fault { source_of: source, what });
            }
        }
    }
    layer
}

fn unknown(name: &str, source_of: Source) -> Fault {
    let near = KEYS
        .iter()
        .map(|key| (strsim::normalized_levenshtein(key.name, name), key.name))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(nearness, _)| *nearness > 0.6);
    let hint = near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default();
    Fault { source_of, what: format!("unknown key `{}`{hint}", shown(name)) }
}

fn when(word: &str) -> ReviewWhen {
    match word {
        "off" => ReviewWhen::Off,
        "always" => ReviewWhen::Always,
        _ => ReviewWhen::Changes,
    }
}

fn config(settings: &[(&'static str, Value, Source)]) -> Config {
    let value = |name: &str| {
        let found = settings.iter().find(|(key, _, _)| *key == name);
        &found.expect("every key has a default").1
    };
    let word = |name: &str| value(name).as_str().unwrap_or_default();
    let number = |name: &str| value(name).as_integer().unwrap_or_default().unsigned_abs();
    let count = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
    let texts = |name: &str| {
        let texts = value(name).as_array().into_iter().flatten();
        texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    Config {
        enabled: match value("court.enabled").as_bool() {
            Some(false) => Enabled::No,
            _ => Enabled::Yes,
        },
        fail: if word("court.fail") == "closed" { Fail::Closed } else { Fail::Open },
        reviewer: match word("court.reviewer") {
            "codex" => ReviewBy::Codex,
            _ => ReviewBy::Historian,
        },
        review: when(word("court.review")),
        print_review: when(word("court.print_review")),
        deadline: Duration::from_millis(number("court.deadline_ms")),
        packet_deadline: Duration::from_millis(number("court.packet_deadline_ms")),
        policy: if word("gate.policy") == "strict" { Policy::Strict } else { Policy::Graded },
        l2: if word("gate.l2") == "ask" { Verdict::Ask } else { Verdict::Deny },
        approver: if word("gate.approver") == "user" { ApproveBy::User } else { ApproveBy::Any },
        scratch: texts("gate.scratch"),
        protected: texts("gate.protected"),
        allow: patterns(value("gate.allow")),
        review_expires: Duration::from_secs(number("review.expires_s")),
        context_max: count("ledger.context_max"),
        packets_keep: count("packets.keep"),
        historian_agents: texts("historian.agents"),
        historian_loops: u32::try_from(number("historian.loops")).unwrap_or(5),
    }
}

/// The allowed commands of a list, which were validated before.
fn patterns(list: &Value) -> Vec<gate::Pattern> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| gate::Pattern::parse(text).ok()).collect()
}
