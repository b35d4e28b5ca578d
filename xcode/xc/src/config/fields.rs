//! Reads a JSON object field by field: each fault is recorded, and reading continues. Fields that were never
//! read are unknown.

use redact::Cut;
use serde_json::{Map, Value};

use super::fault::{Fault, nearest};

/// The longest value that is quoted in a fault, in characters.
const SHOWN_CHARS: usize = 60;

/// The field that contains keys.
pub(super) const PROVIDERS: &str = "providers";

/// An object of a file; each field is read once.
pub(super) struct Fields<'f> {
    place: &'f str,
    /// The names of the enclosing objects, each followed by a dot.
    prefix: String,
    object: Map<String, Value>,
    /// The names of the fields read so far.
    known: Vec<&'static str>,
    /// The faults found so far.
    faults: &'f mut Vec<Fault>,
}

impl<'f> Fields<'f> {
    /// The top-level object of the file `place`.
    pub(super) fn new(
        place: &'f str,
        object: Map<String, Value>,
        faults: &'f mut Vec<Fault>,
    ) -> Self {
        Self { place, prefix: String::new(), object, known: Vec::new(), faults }
    }

    /// The object at `name`; an empty one if there is none.
    pub(super) fn object(&mut self, name: &'static str) -> Fields<'_> {
        let object = match self.take(name) {
            None => Map::new(),
            Some(Value::Object(object)) => object,
            Some(other) => {
                self.wrong(name, &other, "an object");
                Map::new()
            }
        };
        let prefix = format!("{}{name}.", self.prefix);
        Fields { place: self.place, prefix, object, known: Vec::new(), faults: self.faults }
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        self.read(name, "a text that is not empty", |value| {
            value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        })
    }

    /// One of these words.
    pub(super) fn one_of(&mut self, name: &'static str, words: &[&str]) -> Option<String> {
        self.read(name, &format!("one of {}", words.join(", ")), |value| {
            value.as_str().filter(|word| words.contains(word)).map(str::to_owned)
        })
    }

    /// A text that is never printed.
    pub(super) fn secret(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => {
                self.fault(name, "not a text".to_owned());
                None
            }
        }
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        self.read(name, "a list of texts", |value| {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            value.as_array()?.iter().map(text).collect()
        })
    }

    /// A list of paths, each absolute or below `~/`.
    pub(super) fn paths(&mut self, name: &'static str) -> Option<Vec<String>> {
        self.read(name, "a list of paths that begin with / or ~/", |value| {
            let path = |value: &Value| {
                let path = value.as_str()?;
                (path.starts_with('/') || path.starts_with("~/")).then(|| path.to_owned())
            };
            value.as_array()?.iter().map(path).collect()
        })
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.read(name, &known.join(" or "), |value| {
            let said = value.as_str()?;
            words.iter().find_map(|(word, meaning)| (*word == said).then_some(*meaning))
        })
    }

    /// `true` or `false`.
    pub(super) fn yes_or_no(&mut self, name: &'static str) -> Option<bool> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// Names with texts, in the order of the file.
    pub(super) fn named_texts(&mut self, name: &'static str) -> Option<Vec<(String, String)>> {
        self.read(name, "an object of texts", |value| {
            let pair =
                |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
            value.as_object()?.iter().map(pair).collect()
        })
    }

    /// A whole number within bounds.
    pub(super) fn whole(
        &mut self,
        name: &'static str,
        bounds: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let wanted = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        self.read(name, &wanted, |value| value.as_u64().filter(|number| bounds.contains(number)))
    }

    /// A number within bounds.
    pub(super) fn number(
        &mut self,
        name: &'static str,
        bounds: std::ops::RangeInclusive<f64>,
    ) -> Option<f64> {
        let wanted = match bounds.end().is_finite() {
            true => format!("a number from {} to {}", bounds.start(), bounds.end()),
            false => format!("a number of at least {}", bounds.start()),
        };
        self.read(name, &wanted, |value| value.as_f64().filter(|number| bounds.contains(number)))
    }

    /// Records a fault of the field `name`.
    pub(super) fn fault(&mut self, name: &str, what: String) {
        let key = format!("{}{name}", self.prefix);
        self.faults.push(Fault { place: self.place.to_owned(), key, what, nearest: None });
    }

    /// Records a fault for every field that was never read.
    pub(super) fn finish(self) {
        for name in self.object.keys() {
            self.faults.push(Fault {
                place: self.place.to_owned(),
                key: format!("{}{name}", self.prefix),
                what: "unknown setting".to_owned(),
                nearest: nearest(name, self.known.iter().copied()),
            });
        }
    }

    /// The full names of the fields that were never read.
    pub(super) fn left(&self) -> Vec<String> {
        self.object.keys().map(|name| format!("{}{name}", self.prefix)).collect()
    }

    fn read<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(name)?;
        let found = read(&value);
        if found.is_none() {
            self.wrong(name, &value, wanted);
        }
        found
    }

    /// Takes a field out of the object; `null` counts as absent.
    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.object.shift_remove(name).filter(|value| !value.is_null())
    }

    fn wrong(&mut self, name: &str, value: &Value, wanted: &str) {
        // Any value in this place may be a key.
        if name == PROVIDERS || self.prefix.starts_with(PROVIDERS) {
            return self.fault(name, format!("not {wanted}"));
        }
        let shown = redact::sanitize(&value.to_string(), Cut::chars(SHOWN_CHARS).marked());
        self.fault(name, format!("{shown} is not {wanted}"));
    }
}
