//! Reduces JSON Schemas to the subset that Gemini accepts. The omitted parts are still validated here
//! before a call is executed.

use serde_json::{Map, Value, json};

/// Maximum depth, and maximum number of schemas after references are replaced:
/// a few mutual references can expand to any number. Anything beyond becomes an unrestricted object.
const MAX_DEPTH: usize = 32;
const MAX_SCHEMAS: usize = 5_000;

/// Keywords that are kept unchanged.
const KEPT: [&str; 12] = [
    "title",
    "description",
    "enum",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "required",
    "nullable",
];

/// `schema` without `$ref`, `additionalProperties`, `oneOf`, `const` and lists of types, which are
/// expressed in keywords that Gemini knows.
pub(super) fn cut_down(schema: &Value) -> Value {
    let mut walk = Walk { root: schema, references: Vec::new(), left: MAX_SCHEMAS };
    at(schema, &mut walk, 0)
}

/// Position of the traversal.
struct Walk<'s> {
    root: &'s Value,
    /// The references that were followed; following one twice is a cycle.
    references: Vec<&'s str>,
    left: usize,
}

fn at<'s>(schema: &'s Value, walk: &mut Walk<'s>, depth: usize) -> Value {
    walk.left = walk.left.saturating_sub(1);
    let is_bounded = depth < MAX_DEPTH && walk.left > 0;
    let Some(schema) = schema.as_object().filter(|_| is_bounded) else {
        return json!({"type": "object"});
    };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| walk.root.pointer(pointer));
        let target = target.filter(|_| !walk.references.contains(&reference));
        walk.references.push(reference);
        let mut target = at(target.unwrap_or(&Value::Null), walk, depth + 1);
        walk.references.pop();
        if let Some(description) = schema.get("description") {
            target["description"] = description.clone();
        }
        return target;
    }
    let mut cut = Map::new();
    kind(schema, &mut cut);
    for name in KEPT {
        if let Some(value) = schema.get(name) {
            cut.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(value) = schema.get("const").filter(|value| value.is_string()) {
        cut.insert("enum".into(), json!([value]));
        cut.entry("type").or_insert_with(|| "string".into());
    }
    // Only these string formats are accepted.
    let format = schema.get("format").and_then(Value::as_str);
    if let Some(format) = format.filter(|format| matches!(*format, "date-time" | "enum")) {
        cut.insert("format".into(), format.into());
    }
    if let Some(items) = schema.get("items") {
        cut.insert("items".into(), at(items, walk, depth + 1));
    } else if cut.get("type").is_some_and(|kind| kind == "array") {
        cut.insert("items".into(), json!({"type": "string"}));
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties = properties.iter();
        let properties = properties.map(|(name, value)| (name.clone(), at(value, walk, depth + 1)));
        cut.insert("properties".into(), properties.collect());
    }
    one_of(schema, walk, depth, &mut cut);
    drop_unknown_names(&mut cut);
    Value::Object(cut)
}

/// The type; of a list of types the first that is not null.
fn kind(schema: &Map<String, Value>, cut: &mut Map<String, Value>) {
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if schema.contains_key("properties") => vec!["object"],
        _ => return,
    };
    if let Some(kind) = kinds.iter().find(|kind| **kind != "null") {
        cut.insert("type".into(), (*kind).into());
    }
    if kinds.contains(&"null") {
        cut.insert("nullable".into(), true.into());
    }
}

/// Alternatives of any keyword; if one of two is null, the other becomes nullable.
fn one_of<'s>(
    schema: &'s Map<String, Value>,
    walk: &mut Walk<'s>,
    depth: usize,
    cut: &mut Map<String, Value>,
) {
    let found = ["anyOf", "oneOf", "allOf"].iter().find_map(|name| schema.get(*name)?.as_array());
    let Some(found) = found else { return };
    let is_null = |value: &&Value| value["type"] == "null";
    if found.iter().any(|value| is_null(&value)) {
        cut.insert("nullable".into(), true.into());
    }
    let rest: Vec<&Value> = found.iter().filter(|value| !is_null(value)).collect();
    // Alternatives are not accepted at the root, and a single one is no choice.
    if let ([only], _) | ([only, ..], 0) = (&rest[..], depth) {
        let only = at(only, walk, depth + 1);
        for (name, value) in only.as_object().into_iter().flatten() {
            cut.entry(name.clone()).or_insert_with(|| value.clone());
        }
    } else if !rest.is_empty() {
        let rest = rest.into_iter().map(|value| at(value, walk, depth + 1));
        cut.insert("anyOf".into(), rest.collect());
    }
}

/// Drops required names without a property, and enums of anything but strings, which are rejected.
fn drop_unknown_names(cut: &mut Map<String, Value>) {
    let names: Vec<String> = cut
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    if let Some(required) = cut.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| names.iter().any(|known| name == known));
    }
    if cut.get("required").is_some_and(|required| required.as_array().is_none_or(Vec::is_empty)) {
        cut.shift_remove("required");
    }
    let of_strings =
        |value: &Value| value.as_array().is_some_and(|values| values.iter().all(Value::is_string));
    if cut.get("enum").is_some_and(|values| !of_strings(values)) {
        cut.shift_remove("enum");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::cut_down;

    /// docs/MODELS.md, Gemini: no `$ref`, `additionalProperties`, `oneOf` at the root.
    #[test]
    fn gemini_a_schema_is_cut_down_to_what_is_taken() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "path": {"type": "string", "format": "uri", "description": "Where."},
                "limit": {"type": ["integer", "null"], "minimum": 1, "exclusiveMinimum": 0},
                "mode": {"const": "fast"},
                "scope": {"$ref": "#/$defs/Scope", "description": "Whose."},
                "tree": {"$ref": "#/$defs/Tree"},
                "when": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
                "any": {"oneOf": [{"type": "string"}, {"type": "number"}]},
                "list": {"type": "array"},
                "level": {"type": "integer", "enum": [1, 2]}
            },
            "required": ["path", "gone"],
            "$defs": {
                "Scope": {"type": "string", "enum": ["project", "global"]},
                "Tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
            }
        });
        let cut = cut_down(&schema);
        let text = cut.to_string();
        for word in ["$ref", "$defs", "$schema", "additionalProperties", "oneOf", "const", "null\""]
        {
            assert!(!text.contains(word), "{word}: {text}");
        }
        assert_eq!(cut["required"], json!(["path"]));
        let properties = &cut["properties"];
        assert_eq!(properties["path"], json!({"type": "string", "description": "Where."}));
        assert_eq!(properties["limit"], json!({"type": "integer", "nullable": true, "minimum": 1}));
        assert_eq!(properties["mode"], json!({"enum": ["fast"], "type": "string"}));
        let scope =
            json!({"type": "string", "enum": ["project", "global"], "description": "Whose."});
        assert_eq!(properties["scope"], scope);
        let when = json!({"nullable": true, "type": "string", "format": "date-time"});
        assert_eq!(properties["when"], when);
        assert_eq!(properties["any"], json!({"anyOf": [{"type": "string"}, {"type": "number"}]}));
        assert_eq!(properties["list"], json!({"type": "array", "items": {"type": "string"}}));
        assert_eq!(properties["level"], json!({"type": "integer"}));
    }

    #[test]
    fn references_that_multiply_are_bounded() {
        let mut schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}});
        for at in 0..30 {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            let properties = json!({"a": next, "b": next});
            schema["$defs"][format!("d{at}")] = json!({"type": "object", "properties": properties});
        }
        assert!(cut_down(&schema).to_string().len() < 1_000_000);
    }

    #[test]
    fn alternatives_at_the_root_become_the_first() {
        let one = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let cut = cut_down(&json!({"oneOf": [one, {"type": "object"}]}));
        assert_eq!(cut, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
        assert_eq!(cut_down(&json!(true)), json!({"type": "object"}));
    }
}
