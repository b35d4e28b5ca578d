//! The subset of JSON Schema that `parameters` of a function may use. `parametersJsonSchema` is not
//! checked.

use serde_json::Value;

/// Keywords of JSON Schema that `parameters` does not support.
const UNKNOWN: [&str; 8] = [
    "$ref",
    "$schema",
    "$defs",
    "additionalProperties",
    "oneOf",
    "allOf",
    "const",
    "patternProperties",
];

/// The error for the first schema with an unsupported keyword; none if there is none.
pub(super) fn unknown_word(body: &Value) -> Option<String> {
    let tools = body["tools"].as_array().into_iter().flatten().enumerate();
    for (tool, declared) in tools {
        let functions = declared["functionDeclarations"].as_array().into_iter().flatten();
        for (function, declaration) in functions.enumerate() {
            let place = format!("tools[{tool}].function_declarations[{function}].parameters");
            if let Some(found) = within(&declaration["parameters"], place) {
                return Some(found);
            }
        }
    }
    None
}

/// A property may have any name; only a schema's own keywords are checked.
fn within(schema: &Value, place: String) -> Option<String> {
    let fields = schema.as_object()?;
    if let Some(word) = UNKNOWN.into_iter().find(|word| fields.contains_key(*word)) {
        return Some(format!(
            "Invalid JSON payload received. Unknown name \"{word}\" at '{place}': Cannot find field."
        ));
    }
    let properties = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut inner: Vec<(&Value, String)> = properties
        .enumerate()
        .map(|(index, (_, schema))| (schema, format!("{place}.properties[{index}].value")))
        .collect();
    inner.extend(fields.get("items").map(|items| (items, format!("{place}.items"))));
    let choices = fields.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate();
    inner.extend(choices.map(|(index, schema)| (schema, format!("{place}.any_of[{index}]"))));
    inner.into_iter().find_map(|(schema, place)| within(schema, place))
}
