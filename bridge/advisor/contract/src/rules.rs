//! Rules that a schema cannot express and that input and output share: no repeated field, no repeated
//! name, and limits on the number of values and of violations.

use std::collections::HashMap;

use serde_json::Value;

use crate::explain;
use crate::failure::Violation;
use crate::limits::{VALUES_MAX, VIOLATIONS_MAX};
use crate::pointer;

/// The violations in the order of the document: at most [`VIOLATIONS_MAX`], and one more that
/// counts the rest.
pub(crate) fn arrange(mut violations: Vec<Violation>) -> Vec<Violation> {
    violations.sort_by(|left, right| pointer::compare(&left.path, &right.path));
    let rest = violations.len().saturating_sub(VIOLATIONS_MAX);
    if rest > 0 {
        violations.truncate(VIOLATIONS_MAX);
        violations.push(Violation::new("", format!("{rest} more violations are not listed")));
    }
    violations
}

/// The single violation for a text with too many values.
pub(crate) fn too_many_values() -> Violation {
    let expected = format!("at most {VALUES_MAX} JSON values");
    Violation::new("", explain::sentence(&expected, "more"))
}

/// One violation for each repeated key.
pub(crate) fn repeated_keys(pointers: &[String]) -> impl Iterator<Item = Violation> {
    pointers.iter().map(|pointer| {
        Violation::new(pointer, explain::sentence("each field once", "this one more than once"))
            .with_hint("keep one of them")
    })
}

/// One violation for each `name` in the list at `path` that an earlier item already has.
///
/// Names are compared without case and outer white space, because a reader could not tell them apart.
/// Blank names are reported by the schema.
pub(crate) fn repeated_names(path: &str, items: &[Value]) -> Vec<Violation> {
    let mut first = HashMap::new();
    let mut violations = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(name) = item.get("name").and_then(Value::as_str) else { continue };
        let key = name.trim().to_lowercase();
        if key.is_empty() {
            continue;
        }
        match first.get(&key) {
            None => {
                first.insert(key, index);
            }
            Some(earlier) => violations.push(
                Violation::new(
                    format!("{path}/{index}/name"),
                    explain::sentence("a name of its own", &explain::found(&item["name"])),
                )
                .with_hint(format!("`{path}/{earlier}/name` is the same")),
            ),
        }
    }
    violations
}
