//! Types, schemas and parsers agree, on generated values and on damaged examples.
//!
//! The rules are written down a second time here, by hand and on the types, so that a slip in a
//! schema file and a slip in a type both show.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::HashSet;
use std::fmt::Debug;
use std::mem::discriminant;

use contract::advice::{Advice, Asked, Recommendation, parse_advice};
use contract::failure::{Failure, FailureCode};
use contract::input::{AdvisorInput, InputFault, Phase, parse_input};
use contract::schema;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

mod damage;
mod values;

use damage::damaged;

/// A generated value keeps its schema, and comes back unchanged.
fn keeps<T>(value: &T, schema: &schema::Schema) -> Result<(), TestCaseError>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let json = serde_json::to_value(value).unwrap();
    prop_assert_eq!(schema.violations(&json), vec![]);
    prop_assert_eq!(&serde_json::from_value::<T>(json).unwrap(), value);
    Ok(())
}

proptest! {
    #[test]
    fn every_question_is_accepted(question in values::question()) {
        keeps(&question, &schema::ADVISOR_INPUT)?;
        prop_assert!(question_keeps_rules(&question));
        let body = serde_json::to_vec(&question).unwrap();
        prop_assert_eq!(parse_input(&body), Ok(question));
    }

    #[test]
    fn all_advice_is_accepted(advice in values::advice()) {
        keeps(&advice, &schema::ADVICE)?;
        keeps(&advice, &schema::ADVICE_WIRE)?;
        let candidates = values::candidates();
        prop_assert!(advice_has_shape(&advice) && advice_keeps_rules(&advice, &candidates));
        let asked = Asked::new(Phase::Initial, &candidates);
        let text = serde_json::to_string_pretty(&advice).unwrap();
        prop_assert_eq!(parse_advice(&text, asked), Ok(advice.clone()));
        let fenced = format!("Here {{it}} is:\n```json\n{text}\n```\n");
        prop_assert_eq!(parse_advice(&fenced, asked), Ok(advice));
    }

    #[test]
    fn everything_we_publish_keeps_its_schema(
        report in values::report(),
        failure in values::failure(),
        accepted in values::accepted(),
        record in values::record(),
        page in values::page(),
        session in values::session(),
    ) {
        keeps(&report, &schema::REPORT)?;
        keeps(&failure, &schema::FAILURE)?;
        keeps(&accepted, &schema::RUN)?;
        keeps(&record.run, &schema::RUN)?;
        keeps(&record, &schema::RUN)?;
        keeps(&page, &schema::RUN)?;
        keeps(&session, &schema::RUN)?;
    }

    #[test]
    fn a_damaged_question_gets_one_verdict(question in damaged("all-fields")) {
        let by_schema = schema::ADVISOR_INPUT.accepts(&question);
        let by_type = typed::<AdvisorInput>(&question);
        let has_own_names = names_differ(&question, "candidate_plans");
        let by_hand = by_type.as_ref().is_some_and(question_keeps_rules);
        prop_assert_eq!(by_schema && has_own_names, by_hand, "{}", question);
        let parsed = parse_input(question.to_string().as_bytes());
        prop_assert_eq!(parsed.as_ref().ok(), by_type.as_ref().filter(|_| by_hand));
        if let Err(InputFault::Violations(violations)) = parsed {
            prop_assert!(!violations.is_empty());
            let failure = Failure::new(FailureCode::ContractViolation, "broken");
            keeps(&failure.with_details(violations), &schema::FAILURE)?;
        }
    }

    #[test]
    fn damaged_advice_gets_one_verdict(advice in damaged("advice-initial")) {
        let candidates = vec!["TransactionalOutbox".to_owned(), "ChangeDataCapture".to_owned()];
        let by_schema = schema::ADVICE.accepts(&advice);
        let by_type = typed::<Advice>(&advice);
        prop_assert_eq!(by_schema, by_type.as_ref().is_some_and(advice_has_shape), "{}", advice);
        let by_hand = by_type.filter(|typed| by_schema && advice_keeps_rules(typed, &candidates));
        match parse_advice(&advice.to_string(), Asked::new(Phase::Initial, &candidates)) {
            // Where the wire form has a null, it is mended; nothing else is.
            Ok(parsed) => prop_assert!(by_hand.is_some() || has_null(&advice), "{:?}", parsed),
            Err(fault) => {
                prop_assert!(by_hand.is_none(), "{:?}", fault);
                prop_assert!(!fault.violations.is_empty());
            }
        }
    }

    #[test]
    fn no_bytes_make_the_parsers_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_input(&bytes);
        let _ = parse_advice(&String::from_utf8_lossy(&bytes), Asked::new(Phase::Final, &[]));
    }

    #[test]
    fn no_text_makes_the_parsers_panic(
        text in r#"([\[\]{},:]|"|\\|\\u[dD][89a-f]00|"raw_text":|"problem":|null|1e9|`{3}|é|方| |.){0,60}"#
    ) {
        let _ = parse_input(text.as_bytes());
        let _ = parse_advice(&text, Asked::new(Phase::Final, std::slice::from_ref(&text)));
    }

    #[test]
    fn a_cut_answer_is_refused_or_whole(cut in any::<prop::sample::Index>()) {
        let text = damage::example("advice-chinese").to_string();
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let fault = parse_advice(&text[..ends[cut.index(ends.len())]], Asked::new(Phase::Initial, &[])).unwrap_err();
        prop_assert!(!fault.violations.is_empty());
    }
}

/// The value as its type, unless it is of another kind: types take a `null` for an absent field
/// and a list for an object with its fields in order; the contract does not.
fn typed<T: DeserializeOwned + Serialize>(value: &Value) -> Option<T> {
    let typed: T = serde_json::from_value(value.clone()).ok()?;
    let back = serde_json::to_value(&typed).unwrap();
    (!has_null(value) && is_of_kind(value, &back)).then_some(typed)
}

fn is_of_kind(value: &Value, kind: &Value) -> bool {
    match (value, kind) {
        (Value::Object(value), Value::Object(kind)) => value.iter().all(|(key, child)| {
            // An empty object may be left out.
            kind.get(key).map_or(child.is_object(), |kind| is_of_kind(child, kind))
        }),
        (Value::Array(value), Value::Array(kind)) => {
            value.iter().zip(kind).all(|(child, kind)| is_of_kind(child, kind))
        }
        (value, kind) => discriminant(value) == discriminant(kind),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn names_differ(value: &Value, list: &str) -> bool {
    let names = value[list].as_array().into_iter().flatten();
    let mut seen = HashSet::new();
    names
        .filter_map(|item| item["name"].as_str())
        .map(|name| name.trim().to_lowercase())
        .all(|name| name.is_empty() || seen.insert(name))
}

fn question_keeps_rules(question: &AdvisorInput) -> bool {
    let names = question.candidate_plans.iter().map(|plan| plan.name.trim().to_lowercase());
    let model_fits = |model: &str| {
        let rest = |c: char| c.is_ascii_alphanumeric() || "._:/@+-".contains(c);
        model.len() <= 100
            && model.starts_with(|c: char| c.is_ascii_alphanumeric())
            && model.chars().all(rest)
    };
    is_said(&question.problem)
        && !question.candidate_plans.is_empty()
        && question
            .candidate_plans
            .iter()
            .all(|plan| is_name(&plan.name) && is_said(&plan.description))
        && names.collect::<HashSet<_>>().len() == question.candidate_plans.len()
        && question.workspace.as_ref().is_none_or(|path| {
            let text = path.to_str().unwrap();
            path.is_absolute() && !text.contains('\0') && text.chars().count() <= 4095
        })
        && question.options.timeout_ms.is_none_or(|timeout| (1_000..=590_000).contains(&timeout))
        && question.options.model.as_deref().is_none_or(model_fits)
}

/// What the schema says.
fn advice_has_shape(advice: &Advice) -> bool {
    let Recommendation { preferred_plan, reason, .. } = &advice.recommendation;
    advice.clarifying_questions.len() <= 5
        && !advice.alternatives.is_empty()
        && advice.alternatives.iter().all(|item| is_name(&item.name) && is_said(&item.description))
        && advice.assumption_check.iter().all(|item| is_said(&item.text))
        && is_said(preferred_plan)
        && (preferred_plan.trim() != "none" || is_said(reason))
        && is_said(&advice.raw_text)
}

/// What it cannot say.
fn advice_keeps_rules(advice: &Advice, candidates: &[String]) -> bool {
    let names: Vec<&str> = advice.alternatives.iter().map(|item| item.name.trim()).collect();
    let folded: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let preferred = advice.recommendation.preferred_plan.trim();
    let is_candidate = candidates.iter().any(|name| name.trim() == preferred);
    folded.len() == names.len()
        && (is_candidate || names.contains(&preferred) || preferred == "none")
}

/// Whether the text is more than white space, by ECMA-262 (so by JSON Schema) or by Unicode.
fn is_said(text: &str) -> bool {
    text.chars().any(|c| !(c.is_whitespace() || c == '\u{feff}'))
}

fn is_name(name: &str) -> bool {
    // Marks that turn the direction of writing, and the separators of lines and paragraphs.
    let is_hidden = |c| {
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    is_said(name)
        && name.chars().count() <= 200
        && !name.chars().any(|c| c.is_control() || is_hidden(c))
        && !name.trim().eq_ignore_ascii_case("none")
}
