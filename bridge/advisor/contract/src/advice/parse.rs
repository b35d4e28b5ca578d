//! Parses Codex's last message into advice, or into a list of all violations.
//!
//! Codex does not validate an answer against the output schema (codex 0.169): prose around the JSON,
//! a code fence or another structure arrive with exit code 0.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Advice, NO_PLAN, weighing};
use crate::document::{self, Document, Unreadable};
use crate::failure::{Violation, places};
use crate::input::Phase;
use crate::{explain, rules, schema, suggest};

/// Maximum number of objects that are tried in one answer. Bounds the time for a text with unclosed
/// objects: each try takes at most one pass over the rest of the text.
const TRIES_MAX: usize = 64;

/// Maximum number of plan names listed in a violation.
pub(super) const NAMES_MAX: usize = 20;

/// JSON Pointer to the preferred plan.
const PREFERRED_PLAN: &str = "/recommendation/preferred_plan";

/// Why an answer is not advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer breaks the output contract in {}", places(.violations.len()))]
pub struct AdviceFault {
    /// All violations, for the repair turn; never empty.
    pub violations: Vec<Violation>,
}

/// The part of the question that advice is validated against.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'q> {
    /// Its phase: the final round has additional rules.
    pub phase: Phase,
    /// The names of its candidate plans.
    pub candidates: &'q [String],
    /// Other names that a recommendation may use: alternatives of the previous round.
    pub earlier: &'q [String],
}

impl<'q> Asked<'q> {
    /// A question with these candidates and no previous round.
    #[must_use]
    pub fn new(phase: Phase, candidates: &'q [String]) -> Self {
        Self { phase, candidates, earlier: &[] }
    }
}

/// Parses advice on a question.
///
/// Uses the first object in the text that is valid advice: alone, in a code fence, within prose or
/// within another object. Where the wire form allows `null` for a text, it becomes an empty text.
/// The preferred plan is returned in the spelling of the candidate or the alternative.
///
/// # Errors
///
/// [`AdviceFault`] with every violation of `schemas/advice.schema.json` and of the rules that it
/// mentions but cannot express. If several objects look like advice, it is about the first.
pub fn parse_advice(text: &str, asked: Asked<'_>) -> Result<Advice, AdviceFault> {
    let mut first_fault = None;
    for document in objects(text).flatten().filter(looks_like_advice) {
        match judge(document, asked) {
            Ok(advice) => return Ok(advice),
            Err(violations) => first_fault = first_fault.or(Some(AdviceFault { violations })),
        }
    }
    Err(first_fault.unwrap_or_else(|| AdviceFault { violations: vec![nothing_found(text)] }))
}

/// Parses an object at each opening brace, up to its end; at most [`TRIES_MAX`] of them.
fn objects(text: &str) -> impl Iterator<Item = Result<Document, Unreadable>> {
    let begins_object = |rest: &str| rest[1..].trim_start().starts_with(['"', '}']);
    text.match_indices('{')
        .map(|(start, _)| &text[start..])
        .filter(move |rest| begins_object(rest))
        .take(TRIES_MAX)
        .map(|rest| {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
            let is_whole = values.next().is_some_and(|value| value.is_ok());
            // A broken object is parsed again to get the error message.
            let end = if is_whole { values.byte_offset() } else { rest.len() };
            document::read_text(&rest[..end])
        })
}

/// Whether the object has any field of advice. A quoted question has none.
fn looks_like_advice(document: &Document) -> bool {
    let fields = schema::ADVICE.document()["properties"].as_object();
    fields.is_some_and(|fields| fields.keys().any(|field| document.value.get(field).is_some()))
}

/// Validates the object; violations are in the order of the document.
fn judge(document: Document, asked: Asked<'_>) -> Result<Advice, Vec<Violation>> {
    let Document { mut value, repeated } = document;
    fill_nulls(&mut value);
    let mut violations = schema::ADVICE.violations(&value);
    violations.extend(rules::repeated_keys(&repeated));
    violations.extend(rules::repeated_names("/alternatives", list(&value, "alternatives")));
    violations.extend(settle_preferred_plan(&mut value, asked));
    violations.extend(weighing::violations(&value, asked));
    if violations.is_empty() {
        // The schema is at least as strict as the type (tested); if not, Codex gets the error.
        serde_json::from_value(value).map_err(|error| vec![Violation::new("", error.to_string())])
    } else {
        Err(rules::arrange(violations))
    }
}

/// Two texts may be null in the wire form; in advice they are empty.
fn fill_nulls(value: &mut Value) {
    for (items, text) in [("assumption_check", "comment"), ("alternatives", "applicable_when")] {
        for item in value.get_mut(items).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(text) = item.get_mut(text).filter(|text| text.is_null()) {
                *text = Value::String(String::new());
            }
        }
    }
}

/// Replaces the preferred plan by the canonical name of the plan, or reports an unknown name.
///
/// Leading and trailing white space is ignored, case is not: a similar name may be that of another
/// plan. A missing or blank name is reported by the schema.
fn settle_preferred_plan(value: &mut Value, asked: Asked<'_>) -> Option<Violation> {
    let preferred = value.pointer(PREFERRED_PLAN)?.as_str()?;
    let wanted = preferred.trim();
    if wanted.is_empty() {
        return None;
    }
    let alternatives = list(value, "alternatives").iter().filter_map(|item| item["name"].as_str());
    let plans = asked.candidates.iter().chain(asked.earlier).map(String::as_str);
    let names: Vec<&str> = plans.chain(alternatives).chain([NO_PLAN]).collect();
    let Some(name) = names.iter().find(|name| name.trim() == wanted) else {
        let left_out = names.len().saturating_sub(NAMES_MAX);
        let mut expected = explain::list(names[left_out..].iter().copied(), "or");
        if left_out > 0 {
            expected = format!("one of {} names, such as {expected}", names.len());
        }
        let found = explain::found(value.pointer(PREFERRED_PLAN)?);
        let violation = Violation::new(PREFERRED_PLAN, explain::sentence(&expected, &found));
        return Some(match suggest::nearest(wanted, names) {
            Some(name) => violation.with_hint(format!("did you mean `{name}`?")),
            None => violation.with_hint("use the exact name of a candidate or an alternative"),
        });
    };
    let name = (*name).to_owned();
    *value.pointer_mut(PREFERRED_PLAN)? = Value::String(name);
    None
}

/// The violation for a text without any object that looks like advice.
fn nothing_found(text: &str) -> Violation {
    let found = match objects(text).next() {
        _ if text.trim().is_empty() => "nothing".to_owned(),
        None => format!("a text of {} characters without a JSON object", text.chars().count()),
        Some(Ok(_)) => "an object without any of them".to_owned(),
        Some(Err(Unreadable::TooManyValues)) => return rules::too_many_values(),
        Some(Err(Unreadable::Syntax { message, .. })) => {
            format!("an object that is not JSON ({message})")
        }
    };
    let expected = "one JSON object with the seven fields of the advice";
    Violation::new("", explain::sentence(expected, &found))
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
