//! Masks the secrets in a call's arguments, for display, the journal, and later requests.

use redact::{Cut, Redactor};
use serde_json::{Map, Value};

/// The arguments with every secret masked. Each text is checked alone and all of them together,
/// because a name beside a value can reveal it as a secret.
pub(crate) fn masked_object(redactor: &Redactor, object: Map<String, Value>) -> Map<String, Value> {
    let object = object.into_iter().map(|(name, value)| entry(redactor, name, value)).collect();
    let text = Value::Object(object).to_string();
    let whole = redactor.sanitize(&text, Cut::NONE).text;
    // A mask may remove a quotation mark; then the texts are masked alone, without the help of names.
    serde_json::from_str(&whole).or_else(|_| serde_json::from_str(&text)).unwrap_or_default()
}

fn entry(redactor: &Redactor, name: String, value: Value) -> (String, Value) {
    (redactor.sanitize(&name, Cut::NONE).text.into_owned(), masked(redactor, value))
}

fn masked(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.sanitize(&text, Cut::NONE).text.into_owned()),
        Value::Array(values) => values.into_iter().map(|value| masked(redactor, value)).collect(),
        Value::Object(object) => Value::Object(
            object.into_iter().map(|(name, value)| entry(redactor, name, value)).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use redact::Redactor;
    use serde_json::{Value, json};

    use super::masked_object;

    #[test]
    fn secrets_are_masked_wherever_they_stand_and_the_rest_stays() {
        let key = "sk-planted-9f8e7d6c5b4a3210";
        let redactor = Redactor::with_values(vec![key.to_owned()]);
        let object = json!({
            "command": format!("curl -H 'Authorization: Bearer {key}' \"x\"\n"),
            "list": [1, true, null, {"deep": key, key: "v"}],
            "plain": "代码 \"quoted\" \\ back",
        });
        let masked = masked_object(&redactor, object.as_object().unwrap().clone());
        let text = Value::Object(masked.clone()).to_string();
        assert!(!text.contains("planted"), "{text}");
        assert_eq!(masked["plain"], object["plain"]);
        assert_eq!(masked["list"][2], json!(null));
        let same = json!({"filePath": "src/main.rs", "limit": 3}).as_object().unwrap().clone();
        assert_eq!(masked_object(&redactor, same.clone()), same);
    }
}
