//! A call's arguments: a JSON object, or the malformed text. Parsing never fails.

use serde_json::{Map, Value};

/// The arguments of a complete call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// A JSON object, as required.
    Object(Map<String, Value>),
    /// Anything else. The call must not be executed; the model is told what it sent.
    Malformed {
        /// The text as received.
        text: String,
        /// Why it is not an object.
        error: String,
    },
}

impl Arguments {
    /// Parses `text`. Empty text counts as an empty object: several providers send that for a tool
    /// without parameters.
    pub fn read(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        match serde_json::from_str(text) {
            Ok(value) => Self::from_value(value, text),
            Err(error) => Self::Malformed { text: text.to_owned(), error: error.to_string() },
        }
    }

    /// Converts a value that arrived as JSON.
    pub fn of(value: Value) -> Self {
        let text = value.to_string();
        Self::from_value(value, &text)
    }

    /// The object for a history: empty if the arguments were malformed.
    pub fn object(&self) -> Map<String, Value> {
        match self {
            Self::Object(object) => object.clone(),
            Self::Malformed { .. } => Map::new(),
        }
    }

    fn from_value(value: Value, text: &str) -> Self {
        let kind = match value {
            Value::Object(object) => return Self::Object(object),
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
        };
        let error = format!("expected an object, found {kind}");
        Self::Malformed { text: text.to_owned(), error }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::Arguments;

    #[test]
    fn an_object_is_read_and_nothing_is_an_empty_one() {
        let object = json!({"path": "a", "n": 1}).as_object().unwrap().clone();
        assert_eq!(Arguments::read(r#"{"path":"a","n":1}"#), Arguments::Object(object));
        for text in ["", " \n", "{}"] {
            assert_eq!(Arguments::read(text), Arguments::Object(Map::new()), "{text:?}");
        }
    }

    /// docs/MODELS.md, hazard 4: malformed arguments must not pass as a string value.
    #[test]
    fn hazard_4_what_is_no_object_is_told_apart() {
        for text in [r#"{"path":"a""#, r#""{\"path\":\"a\"}""#, "[1]", "null", "{} {}", "run"] {
            let read = Arguments::read(text);
            let Arguments::Malformed { text: kept, error } = &read else {
                panic!("{text} was read as {read:?}")
            };
            assert_eq!(kept, text);
            assert!(!error.is_empty());
            assert_eq!(read.object(), Map::new());
        }
        assert!(matches!(Arguments::of(json!([1])), Arguments::Malformed { .. }));
    }
}
