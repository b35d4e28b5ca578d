//! A lenient JSON parser: accepts what the client's own parser or a program behind it might accept,
//! and records each deviation. A lone surrogate, which JavaScript writes and Rust's parser refuses,
//! must not keep a command from being judged.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The object in these bytes, and the deviations.
///
/// # Errors
/// If it is not a JSON object even so.
pub(crate) fn object(bytes: &[u8]) -> Result<(Map<String, Value>, Vec<String>), serde_json::Error> {
    let mut doubts = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        doubts.push("the input is not UTF-8".to_owned());
    }
    let text = text.trim_start_matches('\u{feff}');
    let read = match serde_json::from_str::<Read>(text) {
        Ok(read) => read,
        Err(error) => {
            let mended = mended(text).ok_or(error)?;
            doubts.push("the input has characters that JSON does not allow".to_owned());
            serde_json::from_str(&mended)?
        }
    };
    if read.is_doubled {
        doubts.push("a key stands twice".to_owned());
    }
    match read.value {
        Value::Object(object) => Ok((object, doubts)),
        _ => Err(serde_json::Error::custom("no object")),
    }
}

/// A value, and whether one of its keys occurs twice: then the last one counts, as in JavaScript.
struct Read {
    value: Value,
    is_doubled: bool,
}

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl Read {
    fn plain<E>(value: impl Into<Value>) -> Result<Self, E> {
        Ok(Self { value: value.into(), is_doubled: false })
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Read;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read, E> {
        Read::plain(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read, E> {
        Read::plain(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read, E> {
        Read::plain(value)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Read, E> {
        Read::plain(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Read, E> {
        Read::plain(value)
    }

    fn visit_string<E>(self, value: String) -> Result<Read, E> {
        Read::plain(value)
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Read::plain(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Read, A::Error> {
        let (mut values, mut is_doubled) = (Vec::new(), false);
        while let Some(read) = access.next_element::<Read>()? {
            is_doubled |= read.is_doubled;
            values.push(read.value);
        }
        Ok(Read { value: Value::Array(values), is_doubled })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Read, A::Error> {
        let (mut object, mut is_doubled) = (Map::new(), false);
        while let Some((key, read)) = access.next_entry::<String, Read>()? {
            is_doubled |= read.is_doubled;
            is_doubled |= object.insert(key, read.value).is_some();
        }
        Ok(Read { value: Value::Object(object), is_doubled })
    }
}

/// The text with lone surrogates replaced and control characters escaped; `None` if it has neither.
fn mended(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut is_string = false;
    let mut is_mended = false;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let mut length = char.len_utf8();
        match char {
            '"' => is_string = !is_string,
            '\\' if is_string => {
                length = escape_length(rest);
                if is_lone(rest, length) {
                    out.push_str("\\ufffd");
                    is_mended = true;
                    rest = &rest[length..];
                    continue;
                }
            }
            control if is_string && control < ' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
                is_mended = true;
                rest = &rest[length..];
                continue;
            }
            _ => {}
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    is_mended.then_some(out)
}

/// The length of the escape at the beginning, with a pair of surrogates as one.
fn escape_length(text: &str) -> usize {
    match surrogate(text) {
        Some(0xd800..=0xdbff) if matches!(surrogate(&text[6..]), Some(0xdc00..=0xdfff)) => 12,
        Some(_) => 6,
        None => 1 + text.chars().nth(1).map_or(0, char::len_utf8),
    }
}

fn is_lone(text: &str, length: usize) -> bool {
    length == 6 && surrogate(text).is_some()
}

/// The surrogate that is escaped at the beginning of a text.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    (0xd800..=0xdfff).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::object;

    fn check(input: &[u8], expected: Value, doubts: usize) {
        let (found, doubted) = object(input).unwrap();
        assert_eq!(Value::Object(found), expected, "{}", String::from_utf8_lossy(input));
        assert_eq!(doubted.len(), doubts, "{doubted:?}");
    }

    #[test]
    fn what_json_allows_is_read_as_it_is() {
        let value = json!({"a": [1, -2, 1.5, true, null, "x\u{1f600}\n\"\\"], "b": {"c": {}}});
        check(value.to_string().as_bytes(), value.clone(), 0);
        check(br#"{"a": "\ud83d\ude00 \\ud800"}"#, json!({"a": "\u{1f600} \\ud800"}), 0);
    }

    #[test]
    fn what_json_forbids_is_read_and_noted() {
        check(br#"{"a": "rm \ud800 x"}"#, json!({"a": "rm \u{fffd} x"}), 1);
        check(
            br#"{"a": "\udc00\ud83d\ude00\ud800\ud800"}"#,
            json!({"a": "\u{fffd}\u{1f600}\u{fffd}\u{fffd}"}),
            1,
        );
        check(b"{\"a\": \"x\x00y\nz\"}", json!({"a": "x\u{0}y\nz"}), 1);
        check(b"{\"a\": \"x\xff\xfey\"}", json!({"a": "x\u{fffd}\u{fffd}y"}), 1);
        check(br#"{"a": 1, "b": {"a": 1, "a": 2}}"#, json!({"a": 1, "b": {"a": 2}}), 1);
        check(b"\xef\xbb\xbf{}", json!({}), 0);
        for input in ["", "{", "[]", "null", "{} {}", "{\"a\": \"\\x\"}", "{\"a\": 1e999}"] {
            assert!(object(input.as_bytes()).is_err(), "{input}");
        }
        let deep = format!("{}{}", "{\"a\":".repeat(9_999), "}".repeat(9_999));
        assert!(object(deep.as_bytes()).is_err());
    }
}
