//! Resolves one setting: takes the value of the strongest layer, parses it, and records value, source or fault.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::fault::{Fault, Source};
use super::key::Key;
use super::layer::{Given, Layer, Value};
use super::read::{self, Problem};
use super::resolve::Setting;
use host::environment::Environment;

const MINUTE: Duration = Duration::from_secs(60);
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Resolves settings from the layers.
pub(super) struct Resolver<'e> {
    /// From the strongest to the weakest; the last is the default file.
    pub(super) layers: [Layer; 4],
    pub(super) environment: &'e Environment,
    pub(super) home: Option<PathBuf>,
    pub(super) faults: Vec<Fault>,
    pub(super) settings: Vec<Setting>,
}

impl Resolver<'_> {
    pub(super) fn path(&mut self, key: Key) -> Option<PathBuf> {
        let home = self.home.clone();
        self.optional(key, move |value, base| {
            let path = read::path(value, base, home.as_deref())?;
            let text = path.display().to_string();
            Ok((path, json!(text)))
        })
    }

    pub(super) fn text(&mut self, key: Key) -> Option<String> {
        self.optional(key, |value, _| shown(read::text(value)?))
    }

    pub(super) fn switch(&mut self, key: Key) -> bool {
        self.required(key, |value, _| read::switch(value).map(|switch| (switch, json!(switch))))
    }

    /// The value for the given word; `values` are in the order of the setting's words.
    pub(super) fn choice<T: Copy + PartialEq>(&mut self, key: Key, values: &[T]) -> T {
        let words: Vec<_> = key.words().iter().copied().zip(values.iter().copied()).collect();
        self.required(key, |value, _| {
            let choice = read::choice(value, &words)?;
            let word = words.iter().find(|(_, known)| *known == choice).map(|(word, _)| *word);
            Ok((choice, json!(word)))
        })
    }

    pub(super) fn count(&mut self, key: Key) -> usize {
        self.required(key, |value, _| {
            let number = read::whole(value, key.bounds())?;
            Ok((usize::try_from(number).unwrap_or(usize::MAX), json!(number)))
        })
    }

    pub(super) fn milliseconds(&mut self, key: Key) -> Duration {
        self.required(key, |value, _| {
            let duration = read::milliseconds(value, key.bounds())?;
            Ok((duration, json!(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))))
        })
    }

    pub(super) fn hours(&mut self, key: Key) -> Duration {
        self.required(key, |value, _| {
            let hours = read::whole(value, key.bounds())?;
            Ok((Duration::from_secs(hours * 3600), json!(hours)))
        })
    }

    pub(super) fn duration(&mut self, key: Key) -> Duration {
        self.required(key, |value, _| {
            let duration = read::duration(value, MINUTE, 10 * YEAR)?;
            Ok((duration, json!(read::text(value)?)))
        })
    }

    /// A setting that has a default. On a fault, which is recorded, the default is used.
    pub(super) fn required<T>(&mut self, key: Key, read: impl Read<T>) -> T {
        if let Some(value) = self.optional(key, &read) {
            return value;
        }
        let default =
            self.layers[3].get(&key).and_then(|given| read(&given.value, Path::new("/")).ok());
        default.expect("the default file is compiled in and tested").0
    }

    /// A setting that may be absent. A fault is recorded.
    pub(super) fn optional<T>(&mut self, key: Key, read: impl Read<T>) -> Option<T> {
        let Some(given) = self.given(key).cloned() else {
            self.setting(key, Json::Null, Source::Unset);
            return None;
        };
        let base = match &given.source {
            Source::File { path, .. } => path.parent().unwrap_or(Path::new("/")),
            _ => self.environment.working_dir(),
        };
        match read(&given.value, base) {
            Ok((value, json)) => {
                self.setting(key, json, given.source);
                Some(value)
            }
            Err(problem) => {
                self.fault(key, &problem);
                None
            }
        }
    }

    pub(super) fn given(&self, key: Key) -> Option<&Given> {
        self.layers.iter().find_map(|layer| layer.get(&key))
    }

    pub(super) fn setting(&mut self, key: Key, value: Json, source: Source) {
        self.settings.push(Setting { key, value, source });
    }

    pub(super) fn fault(&mut self, key: Key, problem: &Problem) {
        let given = self.given(key);
        self.faults.push(Fault {
            key: key.name().to_owned(),
            value: given
                .filter(|_| problem.shown && !key.is_secret())
                .map(|given| given.value.shown()),
            source: given.map_or(Source::Unset, |given| given.source.clone()),
            problem: problem.problem.clone(),
            mend: problem.mend.clone(),
        });
    }
}

/// Parses a value; relative paths are resolved against the second argument. Returns the value, and its
/// form for display.
pub(super) trait Read<T>: Fn(&Value, &Path) -> Result<(T, Json), Problem> {}

impl<T, F: Fn(&Value, &Path) -> Result<(T, Json), Problem>> Read<T> for F {}

/// A text that is shown unchanged.
pub(super) fn shown(text: String) -> Result<(String, Json), Problem> {
    let json = json!(text);
    Ok((text, json))
}
