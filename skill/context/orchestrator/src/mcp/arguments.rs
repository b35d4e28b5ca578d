//! Builds a server's arguments from ours: placeholders like `{query}` in a template are replaced by the plan's
//! arguments, which are already clamped. Nothing is evaluated.

use serde_json::{Map, Value};

use crate::tool::Args;

/// Fills in the template. A value that is exactly `{name}` keeps its type; one that refers to
/// an argument that the plan does not have is left out.
pub(super) fn fill(template: &Map<String, Value>, ours: &Args) -> Args {
    let filled = |(name, value): (&String, &Value)| Some((name.clone(), value_of(value, ours)?));
    template.iter().filter_map(filled).collect()
}

fn value_of(value: &Value, ours: &Args) -> Option<Value> {
    match value {
        Value::String(text) => match text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            Some(name) if is_name(name) => ours.get(name).cloned(),
            _ => Some(Value::String(text_of(text, ours))),
        },
        Value::Array(items) => Some(items.iter().filter_map(|item| value_of(item, ours)).collect()),
        Value::Object(inner) => Some(Value::Object(fill(inner, ours))),
        other => Some(other.clone()),
    }
}

/// One pass from the left, so that inserted text is not searched again.
fn text_of(text: &str, ours: &Args) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let name = rest.find('}').map(|close| &rest[1..close]).filter(|name| is_name(name));
        match name.and_then(|name| Some((name, ours.get(name)?))) {
            Some((name, Value::String(value))) => {
                out.push_str(value);
                rest = &rest[name.len() + 2..];
            }
            Some((name, value)) => {
                out.push_str(&value.to_string());
                rest = &rest[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_lowercase() || char == '_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ours_stand_where_the_template_says() {
        let ours = json!({ "query": "why {depth} {query}?", "depth": 2 });
        let template = json!({
            "q": "{query}", "hops": "{depth}", "text": "{depth}: {query} {no} {A} {", "path": "{path}",
            "fixed": true, "nested": { "list": ["{depth}", "{path}", "x"] },
        });
        let filled = fill(template.as_object().unwrap(), ours.as_object().unwrap());
        let expected = json!({
            "q": "why {depth} {query}?", "hops": 2, "text": "2: why {depth} {query}? {no} {A} {",
            "fixed": true, "nested": { "list": [2, "x"] },
        });
        assert_eq!(Value::Object(filled), expected);
    }
}
