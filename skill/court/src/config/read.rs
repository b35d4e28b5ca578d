//! Four layers into one. A layer is a list of keys and values; each value is checked where it stands.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use gate::Policy;
use toml::{Table, Value};

use super::{Config, DEFAULT_FILE, Enabled, Fail, Fault, ReviewBy, Source, Verdict};
use crate::environment::Environment;
use crate::places::Places;

/// The largest settings file that is read, in bytes.
const FILE_MAX: u64 = 256 << 10;

/// The settings, where each comes from, and what is wrong with some.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The settings.
    pub config: Config,
    /// Every key with its value and source, in the order of the default file.
    pub settings: Vec<(&'static str, Value, Source)>,
    /// All faults.
    pub faults: Vec<Fault>,
}

/// A setting: its key, its variable, and what may stand there.
struct Key {
    name: &'static str,
    variable: Option<&'static str>,
    accepts: Accepts,
    /// Of two words, the one that a project may not put in the place of the other.
    loose: Option<&'static str>,
}

enum Accepts {
    Bool,
    Word(&'static [&'static str]),
    Number { min: i64, max: i64 },
    Texts,
}

const fn key(name: &'static str, variable: Option<&'static str>, accepts: Accepts) -> Key {
    Key { name, variable, accepts, loose: None }
}

const fn guarded(
    name: &'static str,
    variable: &'static str,
    accepts: Accepts,
    loose: &'static str,
) -> Key {
    Key { name, variable: Some(variable), accepts, loose: Some(loose) }
}

const KEYS: &[Key] = &[
    guarded("court.enabled", "COURT_ENABLED", Accepts::Bool, "false"),
    guarded("court.fail", "COURT_FAIL", Accepts::Word(&["open", "closed"]), "open"),
    key("court.reviewer", Some("COURT_REVIEWER"), Accepts::Word(&["historian", "codex"])),
    key("court.deadline_ms", Some("COURT_DEADLINE_MS"), Accepts::Number { min: 20, max: 60_000 }),
    key(
        "court.packet_deadline_ms",
        Some("COURT_PACKET_DEADLINE_MS"),
        Accepts::Number { min: 20, max: 60_000 },
    ),
    guarded("gate.policy", "COURT_POLICY", Accepts::Word(&["graded", "strict"]), "graded"),
    guarded("gate.l2", "COURT_L2", Accepts::Word(&["deny", "ask"]), "ask"),
    key("gate.scratch", None, Accepts::Texts),
    key("gate.protected", None, Accepts::Texts),
    key("review.expires_s", None, Accepts::Number { min: 10, max: 86_400 }),
    key("ledger.context_max", None, Accepts::Number { min: 500, max: 9_500 }),
    key("packets.keep", None, Accepts::Number { min: 1, max: 10_000 }),
    key("historian.agents", None, Accepts::Texts),
    key("historian.loops", None, Accepts::Number { min: 0, max: 5 }),
];

/// Resolves the settings.
pub fn resolve(environment: &Environment, places: &Places) -> Resolved {
    let mut faults = Vec::new();
    let mut settings: Vec<(&'static str, Value, Source)> = Vec::new();
    let layers = [
        file(Source::User(places.user_config.clone()), &places.user_config, &mut faults),
        file(Source::Project(places.project_config()), &places.project_config(), &mut faults),
        variables(environment, &mut faults),
    ];
    for (key, value) in KEYS.iter().zip(defaults()) {
        settings.push((key.name, value, Source::Default));
    }
    for (name, value, source) in layers.into_iter().flatten() {
        let Some(at) = KEYS.iter().position(|key| key.name == name) else {
            faults.push(unknown(&name, source));
            continue;
        };
        let key = &KEYS[at];
        if let Err(what) = key.accepts.check(&value) {
            faults.push(Fault { source_of: source, what: format!("{}: {what}", key.name) });
            continue;
        }
        let by_user = matches!(settings[at].2, Source::User(_)) && settings[at].1 != value;
        if let (Source::Project(_), true, Some(loose)) = (&source, by_user, key.loose)
            && plain(&value) == loose
        {
            let what =
                format!("{} = {value}: a project cannot loosen what the user has set", key.name);
            faults.push(Fault { source_of: source, what });
            continue;
        }
        settings[at] = (key.name, value, source);
    }
    Resolved { config: config(&settings), settings, faults }
}

fn defaults() -> Vec<Value> {
    let table: Table = DEFAULT_FILE.parse().expect("the default file is TOML: a test reads it");
    let value = |key: &Key| {
        let (room, name) = key.name.split_once('.').expect("a key has two parts");
        table[room][name].clone()
    };
    KEYS.iter().map(value).collect()
}

type Layer = Vec<(String, Value, Source)>;

fn file(source: Source, path: &Path, faults: &mut Vec<Fault>) -> Layer {
    let mut fault = |what: String| faults.push(Fault { source_of: source.clone(), what });
    match fs::metadata(path) {
        Err(error) if absent(&error) => return Vec::new(),
        Ok(found) if found.is_file() && found.len() <= FILE_MAX => {}
        Ok(_) => {
            fault(format!("is no file of at most {FILE_MAX} bytes"));
            return Vec::new();
        }
        Err(error) => {
            fault(format!("cannot be read: {error}"));
            return Vec::new();
        }
    }
    let table = match fs::read_to_string(path).map(|text| text.parse::<Table>()) {
        Ok(Ok(table)) => table,
        Ok(Err(error)) => {
            fault(format!("is no TOML: {}", error.to_string().trim_end()));
            return Vec::new();
        }
        Err(error) => {
            fault(format!("cannot be read: {error}"));
            return Vec::new();
        }
    };
    let mut layer = Vec::new();
    for (room, content) in table {
        match content {
            Value::Table(keys) => {
                for (name, value) in keys {
                    layer.push((format!("{room}.{name}"), value, source.clone()));
                }
            }
            _ => layer.push((room, content, source.clone())),
        }
    }
    layer
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn variables(environment: &Environment, faults: &mut Vec<Fault>) -> Layer {
    let mut layer = Vec::new();
    for key in KEYS {
        let Some(variable) = key.variable else { continue };
        let Some(text) = environment.text(variable) else { continue };
        let value = match key.accepts {
            Accepts::Bool => text.parse().map(Value::Boolean).ok(),
            Accepts::Number { .. } => text.parse().map(Value::Integer).ok(),
            Accepts::Word(_) | Accepts::Texts => Some(Value::String(text.to_owned())),
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
    Fault { source_of, what: format!("unknown key `{name}`{hint}") }
}

impl Accepts {
    fn check(&self, value: &Value) -> Result<(), String> {
        let fits = match (self, value) {
            (Self::Bool, Value::Boolean(_)) => true,
            (Self::Word(words), Value::String(text)) => words.contains(&text.as_str()),
            (Self::Number { min, max }, Value::Integer(number)) => (*min..=*max).contains(number),
            (Self::Texts, Value::Array(texts)) => texts.iter().all(Value::is_str),
            _ => false,
        };
        if fits { Ok(()) } else { Err(format!("{value} is not {}", self.words())) }
    }

    fn words(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Word(words) => {
                words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
            }
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Texts => "a list of texts".to_owned(),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
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
        deadline: Duration::from_millis(number("court.deadline_ms")),
        packet_deadline: Duration::from_millis(number("court.packet_deadline_ms")),
        policy: if word("gate.policy") == "strict" { Policy::Strict } else { Policy::Graded },
        l2: if word("gate.l2") == "ask" { Verdict::Ask } else { Verdict::Deny },
        scratch: texts("gate.scratch"),
        protected: texts("gate.protected"),
        review_expires: Duration::from_secs(number("review.expires_s")),
        context_max: count("ledger.context_max"),
        packets_keep: count("packets.keep"),
        historian_agents: texts("historian.agents"),
        historian_loops: u32::try_from(number("historian.loops")).unwrap_or(5),
    }
}
