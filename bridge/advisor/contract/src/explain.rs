//! Puts violations of a schema into words: what was expected at a position, what was found, and how to fix it.
//!
//! The words come from the schema itself: `x-expected` and `x-hint` where a file gives them,
//! else the type, the choices and the bounds of the position.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use crate::failure::Violation;
use crate::{pointer, schema, suggest};

/// Texts up to this many characters are quoted; for longer ones only the length is given.
const QUOTE_MAX_CHARS: usize = 40;

/// The errors as violations, without duplicates.
pub(crate) fn all<'v>(errors: impl Iterator<Item = ValidationError<'v>>) -> Vec<Violation> {
    let mut violations: Vec<Violation> = errors.flat_map(|error| one(&error)).collect();
    violations.sort_by(|left, right| pointer::compare(&left.path, &right.path));
    violations.dedup();
    violations
}

/// One sentence with what was expected and what was found.
pub(crate) fn sentence(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {found}")
}

/// A short description of the value. Only short texts are quoted.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) if text.trim().is_empty() => "a blank text".to_owned(),
        Value::String(text) => match text.chars().count() {
            0..=QUOTE_MAX_CHARS => format!("the text {}", quote(text)),
            length => format!("a text of {length} characters"),
        },
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(items) if items.len() == 1 => "a list with 1 item".to_owned(),
        Value::Array(items) => format!("a list with {} items", items.len()),
        Value::Object(fields) if fields.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The text in backticks, with control characters made visible.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", text.escape_debug())
}

fn one(error: &ValidationError<'_>) -> Vec<Violation> {
    let node = Node::of(error);
    let path = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|key| node.unknown(path, key)).collect()
        }
        ValidationErrorKind::Required { property } => {
            vec![node.missing(path, property.as_str().unwrap_or_default())]
        }
        _ => vec![node.mismatch(path, error.instance())],
    }
}

/// The subschema that a value was validated against.
#[derive(Clone, Copy)]
struct Node<'s> {
    document: &'s Value,
    node: &'s Value,
}

impl Node<'static> {
    /// The node of the failed keyword.
    fn of(error: &ValidationError<'_>) -> Self {
        let location = error.absolute_keyword_location().map_or("", |uri| uri.as_str());
        let (address, keyword) = location.split_once('#').unwrap_or((location, ""));
        let name = address.rsplit('/').next().unwrap_or_default();
        let document = schema::find(name).map_or(&Value::Null, schema::Schema::document);
        let pointer = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
        Self { document, node: document.pointer(pointer).unwrap_or(&Value::Null) }
    }
}

impl<'s> Node<'s> {
    fn mismatch(&self, path: &str, value: &Value) -> Violation {
        let choice = value.as_str().and_then(|word| suggest::nearest(word, self.choices()));
        let hint = match choice {
            Some(choice) => Some(format!("did you mean `{choice}`?")),
            None => self.text("x-hint"),
        };
        let message = sentence(&self.expected(), &found(value));
        Violation { path: path.to_owned(), message, hint }
    }

    fn missing(&self, path: &str, key: &str) -> Violation {
        let field = self.field(key);
        Violation {
            path: pointer::child(path, key).unwrap_or_else(|| path.to_owned()),
            message: sentence(&field.expected(), "nothing"),
            hint: field.text("x-hint"),
        }
    }

    fn unknown(&self, path: &str, key: &str) -> Violation {
        let hint = match suggest::nearest(key, self.keys()) {
            Some(field) => format!("did you mean `{field}`?"),
            None => match self.keys().find(|field| self.field(field).keys().any(|k| k == key)) {
                Some(field) => format!("`{key}` belongs under `{field}`"),
                None => format!("the fields here are {}", list(self.keys(), "and")),
            },
        };
        Violation {
            path: pointer::child(path, key).unwrap_or_else(|| path.to_owned()),
            message: match key.chars().count() {
                0..=QUOTE_MAX_CHARS => format!("unknown field {}", quote(key)),
                length => format!("unknown field with a name of {length} characters"),
            },
            hint: Some(hint),
        }
    }

    /// What the schema expects here, as a noun phrase.
    fn expected(&self) -> String {
        if let Some(text) = self.text("x-expected") {
            return text;
        }
        if self.choices().next().is_some() {
            return list(self.choices(), "or");
        }
        let bounds = (self.get("minimum"), self.get("maximum"));
        match (self.get("type").and_then(Value::as_str), bounds) {
            (Some("string"), _) => "a string".to_owned(),
            (Some("boolean"), _) => "true or false".to_owned(),
            (Some("integer"), (Some(least), Some(most))) => {
                format!("an integer from {least} to {most}")
            }
            (Some("integer"), (Some(least), None)) => format!("an integer of at least {least}"),
            (Some("integer"), _) => "an integer".to_owned(),
            (Some("array"), _) => "a list".to_owned(),
            (Some("object"), _) if self.words("required").next().is_some() => {
                format!("an object with {}", list(self.words("required"), "and"))
            }
            (Some("object"), _) => "an object".to_owned(),
            _ => "something else".to_owned(),
        }
    }

    /// The keyword's value here, or at the target of a `$ref`, with the document that contains it.
    fn find(&self, keyword: &str) -> Option<Self> {
        let Self { mut document, mut node } = *self;
        loop {
            if let Some(node) = node.get(keyword) {
                return Some(Self { document, node });
            }
            let (file, pointer) = node.get("$ref")?.as_str()?.split_once('#')?;
            if !file.is_empty() {
                document = schema::find(file)?.document();
            }
            node = document.pointer(pointer)?;
        }
    }

    fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.find(keyword).map(|found| found.node)
    }

    fn text(&self, keyword: &str) -> Option<String> {
        self.get(keyword).and_then(Value::as_str).map(str::to_owned)
    }

    /// The items of a list-valued keyword.
    fn words(&self, keyword: &str) -> impl Iterator<Item = &'s str> + use<'s> {
        self.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    fn choices(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.words("enum")
    }

    fn keys(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    fn field(&self, key: &str) -> Self {
        let fields = self.find("properties");
        fields
            .and_then(|Self { document, node }| Some(Self { document, node: node.get(key)? }))
            .unwrap_or(Self { document: self.document, node: &Value::Null })
    }
}

/// `a`; `a` or `b`; `a`, `b` or `c`.
pub(crate) fn list<'w>(words: impl Iterator<Item = &'w str>, conjunction: &str) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}
