//! The four layers of settings, as untyped values.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::default_file;
use super::fault::{Fault, Source};
use super::key::{Key, nearest};
use host::environment::{self, Environment};

/// Longest configuration file that is read.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// An untyped value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// From a flag or the environment, where all values are strings.
    Word(String),
    /// A string in the file.
    Text(String),
    /// A whole number in the file.
    Whole(i64),
    /// A boolean in the file.
    Switch(bool),
    /// A number in the file with a point or an exponent, as text.
    Float(String),
    /// A list in the file.
    List(Vec<Value>),
    /// A table in a list in the file.
    Table(Vec<(String, Value)>),
    /// A type that no setting has: a date, or a number beyond 64 bits.
    Unwanted(String),
}

impl Value {
    /// The value for a message: quoted, one line, bounded.
    pub(super) fn shown(&self) -> String {
        let mut text = match self {
            Self::Word(text) | Self::Text(text) => format!("{text:?}"),
            Self::Whole(number) => number.to_string(),
            Self::Switch(switch) => switch.to_string(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::shown).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Table(members) => {
                let member = |(name, value): &(String, Self)| format!("{name} = {}", value.shown());
                let members: Vec<String> = members.iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }
            Self::Float(text) | Self::Unwanted(text) => text.clone(),
        };
        if let Some((cut, _)) = text.char_indices().nth(SHOWN_MAX_CHARS) {
            text.truncate(cut);
            text.push('…');
        }
        text
    }
}

/// Longest value in a message, in characters.
const SHOWN_MAX_CHARS: usize = 100;

/// A value and its source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Given {
    pub(super) value: Value,
    /// Where it was written.
    pub(super) source: Source,
}

/// The settings of one layer.
pub(super) type Layer = BTreeMap<Key, Given>;

/// The settings given by flags; `assignments` are those of `--set KEY=VALUE`.
pub(super) fn from_flags(
    named: &[(Key, String)],
    assignments: &[String],
    faults: &mut Vec<Fault>,
) -> Layer {
    let mut layer = Layer::new();
    for assignment in assignments {
        let source = Source::Flag("--set".to_owned());
        let Some((name, text)) = assignment.split_once('=') else {
            faults.push(Fault {
                key: assignment.clone(),
                value: None,
                source,
                problem: "there is no `=` in it".to_owned(),
                mend: "write --set KEY=VALUE, such as --set limits.max_running=4".to_owned(),
            });
            continue;
        };
        match Key::from_name(name.trim()) {
            Some(key) if key.is_secret() => faults.push(Fault {
                key: key.name().to_owned(),
                value: None,
                source,
                problem: "a secret on the command line can be seen by every user".to_owned(),
                mend: format!("set {} or use the token file", key.variable()),
            }),
            Some(key) => {
                layer.insert(key, Given { value: Value::Word(text.trim().to_owned()), source });
            }
            None => faults.push(unknown(name.trim(), source)),
        }
    }
    for (key, text) in named {
        let flag = key.flag().map_or(key.name(), |(flag, _)| flag);
        let source = Source::Flag(format!("--{flag}"));
        layer.insert(*key, Given { value: Value::Word(text.clone()), source });
    }
    layer
}

/// The settings given by the environment, and a warning for every variable with our prefix that is not a
/// setting.
pub(super) fn from_environment(
    environment: &Environment,
    faults: &mut Vec<Fault>,
    warnings: &mut Vec<String>,
) -> Layer {
    let mut layer = Layer::new();
    for key in Key::ALL {
        let source = Source::Environment(key.variable().to_owned());
        match environment.get(key.variable()).map(|value| value.to_str()) {
            Some(Some(text)) => {
                layer.insert(*key, Given { value: Value::Word(text.to_owned()), source });
            }
            Some(None) => faults.push(Fault {
                key: key.name().to_owned(),
                value: None,
                source,
                problem: "it is not UTF-8".to_owned(),
                mend: "use only UTF-8 in it".to_owned(),
            }),
            // An empty secret is a mistake in a script, not a request for the default.
            None if key.is_secret() && environment.is_set(key.variable()) => {
                faults.push(Fault {
                    key: key.name().to_owned(),
                    value: None,
                    source,
                    problem: "it is empty".to_owned(),
                    mend: "unset it to use the token file, or give it a token".to_owned(),
                });
            }
            None => {}
        }
    }
    let known = || Key::ALL.iter().map(|key| key.variable()).chain([environment::CONFIG]);
    for name in environment.ours() {
        let others = [environment::URL, environment::RUN, environment::SERVICE_UID];
        if !known().chain(others).any(|variable| variable == name) {
            let hint = match nearest(name, known()) {
                Some(variable) => format!("; did you mean {variable}?"),
                None => String::new(),
            };
            warnings.push(format!("the environment variable {name} means nothing here{hint}"));
        }
    }
    layer
}

/// The settings of the user's file.
///
/// # Errors
/// The file could not be read at all.
pub(super) fn from_file(path: &Path, faults: &mut Vec<Fault>) -> io::Result<Layer> {
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    host::own::check_settings(&file, path)?;
    let mode = file.metadata()?.mode();
    file.take(FILE_MAX_BYTES).read_to_string(&mut text)?;
    let layer = parse(&text, faults, |line| Source::File { path: path.to_owned(), line });
    let secrets = layer.iter().filter(|(key, _)| key.is_secret() && mode & 0o077 != 0);
    for (key, secret) in secrets {
        faults.push(Fault {
            key: key.name().to_owned(),
            value: None,
            source: secret.source.clone(),
            problem: format!("other users may read the file (mode {:03o})", mode & 0o777),
            mend: format!("run `chmod 600 {}`", path.display()),
        });
    }
    Ok(layer)
}

/// The settings of the default file.
pub(super) fn from_default_file() -> Layer {
    let mut faults = Vec::new();
    let layer = parse(default_file(), &mut faults, |_| Source::Default);
    assert_eq!(faults, [], "the default file is compiled in and tested");
    layer
}

/// Parses a TOML text; `at` maps a line number to a source.
fn parse(text: &str, faults: &mut Vec<Fault>, at: impl Fn(usize) -> Source) -> Layer {
    let line =
        |offset: usize| 1 + text.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        faults.push(Fault {
            key: "(syntax)".to_owned(),
            value: None,
            source: at(line(error.span().map_or(0, |span| span.start.min(text.len())))),
            problem: error.message().lines().collect::<Vec<_>>().join(", "),
            mend: "see https://toml.io for the form".to_owned(),
        });
    }
    let mut layer = Layer::new();
    if !errors.is_empty() {
        return layer;
    }
    let mut put =
        |name: &str, source, value: &DeValue<'_>, faults: &mut Vec<Fault>| match Key::from_name(
            name,
        ) {
            Some(key) => drop(layer.insert(key, Given { value: written(value), source })),
            None => faults.push(unknown(name, source)),
        };
    for (name, value) in table.get_ref() {
        let source = at(line(name.span().start));
        match value.get_ref() {
            DeValue::Table(section) if sections().any(|section| section == name.get_ref()) => {
                for (inner, value) in section {
                    let dotted = format!("{}.{}", name.get_ref(), inner.get_ref());
                    put(&dotted, at(line(inner.span().start)), value.get_ref(), faults);
                }
            }
            DeValue::Table(_) => faults.push(unknown_section(name.get_ref(), source)),
            value => put(name.get_ref(), source, value, faults),
        }
    }
    layer
}

/// The names of the sections.
fn sections() -> impl Iterator<Item = &'static str> {
    Key::ALL.iter().filter_map(|key| key.name().split_once('.')).map(|(head, _)| head)
}

/// Converts a TOML value.
fn written(value: &DeValue<'_>) -> Value {
    let unwanted = |text: &dyn ToString| Value::Unwanted(text.to_string());
    match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| unwanted(number), Value::Whole),
        DeValue::Boolean(switch) => Value::Switch(*switch),
        DeValue::Array(items) => {
            Value::List(items.iter().map(Spanned::get_ref).map(written).collect())
        }
        DeValue::Float(number) => Value::Float(number.to_string()),
        DeValue::Datetime(datetime) => unwanted(datetime),
        DeValue::Table(members) => {
            let member = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let name: &std::borrow::Cow<'_, str> = name.get_ref();
                (name.clone().into_owned(), written(value.get_ref()))
            };
            Value::Table(members.iter().map(member).collect())
        }
    }
}

/// The fault for an unknown setting. Its value is not shown: it may be a mistyped secret.
fn unknown(name: &str, source: Source) -> Fault {
    let same_last = |key: &&Key| key.name().rsplit('.').next() == Some(name);
    let meant = Key::ALL
        .iter()
        .find(same_last)
        .map(|key| key.name())
        .or_else(|| nearest(name, Key::ALL.iter().map(|key| key.name())));
    let mend = match (name, meant) {
        ("allow_remote", _) => "give --allow-remote on the command line".to_owned(),
        (_, Some(key)) => format!("did you mean `{key}`?"),
        (_, None) => "`codex-bridge config --default` lists the settings".to_owned(),
    };
    Fault { key: name.to_owned(), value: None, source, problem: "no such setting".to_owned(), mend }
}

/// The fault for an unknown section.
fn unknown_section(name: &str, source: Source) -> Fault {
    let mend = match nearest(name, sections()) {
        Some(section) => format!("did you mean `[{section}]`?"),
        None => "`codex-bridge config --default` lists the settings".to_owned(),
    };
    Fault { key: name.to_owned(), value: None, source, problem: "no such section".to_owned(), mend }
}
