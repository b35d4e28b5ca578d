//! The interface as an OpenAPI 3.1 document: the routes from `openapi.json`, with the schemas of
//! [`contract::schema`] embedded, so that the document is self-contained.

use std::sync::LazyLock;

use contract::schema;
use serde_json::{Map, Value};

/// Suffix of the schema files, which refer to one another by file name.
const SUFFIX: &str = ".schema.json";

/// Built on first use.
static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", document()));

/// The document as text.
#[must_use]
pub fn text() -> &'static str {
    &TEXT
}

/// The document as a value.
#[must_use]
pub fn document() -> Value {
    let mut document: Value =
        serde_json::from_str(include_str!("openapi.json")).expect("the template is JSON (tested)");
    document["info"]["version"] = release::VERSION.into();
    let schemas = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut)
        .expect("the template has schemas (tested)");
    for schema in schema::ALL {
        schemas.insert(schema.name.to_owned(), component(schema.name, schema.document().clone()));
    }
    document
}

/// A schema as a component of the document: without its own `$id`, and with its
/// references rewritten to the other components.
fn component(name: &str, mut schema: Value) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$id");
        keywords.remove("$schema");
    }
    redirect(name, &mut schema);
    schema
}

fn redirect(name: &str, value: &mut Value) {
    match value {
        Value::Object(members) => redirect_members(name, members),
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(name, item)),
        _ => {}
    }
}

fn redirect_members(name: &str, members: &mut Map<String, Value>) {
    for (key, value) in members {
        match value {
            Value::String(target) if key == "$ref" => {
                let (file, pointer) = target.split_once('#').unwrap_or((target, ""));
                let file = file.strip_suffix(SUFFIX).unwrap_or(name);
                *target = format!("#/components/schemas/{file}{pointer}");
            }
            _ => redirect(name, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::failure::FailureCode;

    use super::*;
    use crate::http::failure::status;
    use crate::http::routes::ROUTES;

    /// Calls `visit` with every object of the document.
    fn each_object<'v>(value: &'v Value, visit: &mut impl FnMut(&'v Map<String, Value>)) {
        match value {
            Value::Object(members) => {
                visit(members);
                members.values().for_each(|member| each_object(member, visit));
            }
            Value::Array(items) => items.iter().for_each(|item| each_object(item, visit)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let mut count = 0;
        each_object(&document, &mut |members| {
            if let Some(Value::String(target)) = members.get("$ref") {
                count += 1;
                let pointer = target.strip_prefix('#').expect("a reference within the document");
                assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
            }
        });
        assert!(count > 100, "{count} references");
    }

    #[test]
    fn every_route_is_documented_and_no_other() {
        let document = document();
        let documented: BTreeSet<&str> =
            document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(documented, ROUTES.iter().copied().collect());
    }

    #[test]
    fn every_status_of_analyze_is_documented() {
        let document = document();
        let responses = document["paths"]["/analyze"]["post"]["responses"].as_object().unwrap();
        for &code in FailureCode::ALL {
            if code != FailureCode::MethodNotAllowed {
                let status = status(code).as_u16().to_string();
                assert!(responses.contains_key(&status), "{} {status}", code.as_str());
            }
        }
    }

    #[test]
    fn every_example_keeps_its_schema() {
        let document = document();
        let mut count = 0;
        each_object(&document, &mut |members| {
            let Some(name) = members
                .get("schema")
                .and_then(|schema| schema["$ref"].as_str())
                .and_then(|target| target.strip_prefix("#/components/schemas/"))
            else {
                return;
            };
            // A definition inside a file is covered by the component of that file.
            let name = name.split('/').next().unwrap_or(name);
            let Some(schema) = schema::find(name) else { return };
            let several = members.get("examples").and_then(Value::as_object);
            let examples = members
                .get("example")
                .into_iter()
                .chain(several.into_iter().flat_map(Map::values).map(|example| &example["value"]));
            for example in examples {
                count += 1;
                assert_eq!(schema.violations(example), [], "{name}: {example:#}");
            }
        });
        assert!(count > 20, "{count} examples");
    }
}
