//! Parses JSON text to a value and reports repeated keys.
//!
//! `serde_json` silently keeps the last of two equal keys. This parser keeps the
//! same value and reports every repeated key. It does not know any contract.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::limits::{VALUES_MAX, VIOLATIONS_MAX};
use crate::pointer;

/// A parsed JSON text.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    /// The value; of equal keys the last one is used.
    pub(crate) value: Value,
    /// Pointers to the repeated keys, at most [`VIOLATIONS_MAX`].
    pub(crate) repeated: Vec<String>,
}

/// Why a text could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is not JSON.
    Syntax {
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error in characters, from 1.
        column: usize,
        /// The error.
        message: String,
    },
    /// It is JSON, but holds more than [`VALUES_MAX`] values.
    TooManyValues,
}

/// Parses the bytes of one JSON text. A leading byte order mark is skipped.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Unreadable> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let message = match bytes {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the text is UTF-16, not UTF-8",
                _ => "the text is not UTF-8",
            };
            let (line, column) = end_position(before);
            Err(Unreadable::Syntax { line, column: column + 1, message: message.to_owned() })
        }
    }
}

/// Parses one JSON text. A leading byte order mark is skipped.
pub(crate) fn read_text(text: &str) -> Result<Document, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        let message = "the text is empty".to_owned();
        return Err(Unreadable::Syntax { line: 1, column: 1, message });
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let notes = Notes::default();
    let end = Seed { notes: &notes, place: &Position::Root }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match end {
        Ok(value) => Ok(Document { value, repeated: notes.repeated.into_inner() }),
        Err(_) if notes.values.get() > VALUES_MAX => Err(Unreadable::TooManyValues),
        Err(error) => Err(syntax(text, &error)),
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> Unreadable {
    let line = error.line().max(1);
    let bytes = text.split('\n').nth(line - 1).unwrap_or_default().as_bytes();
    // serde_json counts bytes; editors count characters.
    let (_, column) = end_position(&bytes[..error.column().min(bytes.len())]);
    let message = match error.to_string().split(" at line ").next().unwrap_or_default() {
        "recursion limit exceeded" => "lists and objects are nested too deeply".to_owned(),
        message => message.to_owned(),
    };
    Unreadable::Syntax { line, column: column.max(1), message }
}

/// The line of the last character, and its column.
fn end_position(bytes: &[u8]) -> (usize, usize) {
    let line_start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = bytes[..line_start].iter().filter(|byte| **byte == b'\n').count() + 1;
    let is_character_start = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    (line, bytes[line_start..].iter().filter(is_character_start).count())
}

/// Findings of the parser besides the value.
#[derive(Default)]
struct Notes {
    values: Cell<usize>,
    repeated: RefCell<Vec<String>>,
}

/// Position of a value. The chain lives on the stack and is turned into a pointer only when needed.
enum Position<'p> {
    Root,
    Item(&'p Position<'p>, usize),
    Field(&'p Position<'p>, &'p str),
}

impl Position<'_> {
    /// The pointer to this position, or as an error the one to the nearest ancestor that is short enough.
    fn pointer(&self) -> Result<String, String> {
        let (parent, key) = match self {
            Self::Root => return Ok(String::new()),
            Self::Item(parent, index) => (parent.pointer()?, Cow::Owned(index.to_string())),
            Self::Field(parent, key) => (parent.pointer()?, Cow::Borrowed(*key)),
        };
        pointer::child(&parent, &key).ok_or(parent)
    }
}

struct Seed<'n, 'p> {
    notes: &'n Notes,
    place: &'p Position<'p>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let values = self.notes.values.get() + 1;
        self.notes.values.set(values);
        if values > VALUES_MAX {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let place = Position::Item(self.place, list.len());
            match items.next_element_seed(Seed { notes: self.notes, place: &place })? {
                Some(value) => list.push(value),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let place = Position::Field(self.place, &key);
            let value = fields.next_value_seed(Seed { notes: self.notes, place: &place })?;
            if object.contains_key(&key) {
                let mut repeated = self.notes.repeated.borrow_mut();
                let (Ok(pointer) | Err(pointer)) = place.pointer();
                if repeated.len() < VIOLATIONS_MAX && !repeated.contains(&pointer) {
                    repeated.push(pointer);
                }
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests;
