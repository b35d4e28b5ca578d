//! Rules for the final round beyond the schema (ADV-10): few new questions, and every plan must be discussed.

use serde_json::Value;

use super::Asked;
use super::parse::NAMES_MAX;
use crate::explain;
use crate::failure::Violation;
use crate::input::Phase;
use crate::limits::FINAL_QUESTIONS_MAX;

/// Maximum length, in characters, of a name that must be a separate word in a text: a short name is part of many words.
const SHORT_NAME_MAX_CHARS: usize = 2;

/// The violations of the final round's rules; none in another round. A field of the wrong type is reported by
/// the schema.
pub(super) fn violations(value: &Value, asked: Asked<'_>) -> Vec<Violation> {
    match asked.phase {
        Phase::Initial => Vec::new(),
        Phase::Final => questions(value).into_iter().chain(unweighed(value, asked)).collect(),
    }
}

fn questions(value: &Value) -> Option<Violation> {
    let found = value.get("clarifying_questions")?.as_array()?.len();
    (found > FINAL_QUESTIONS_MAX).then(|| {
        let expected = format!("at most {FINAL_QUESTIONS_MAX} questions in the final round");
        let message = explain::sentence(&expected, &format!("{found}"));
        Violation::new("/clarifying_questions", message)
            .with_hint("keep those whose answer would turn the decision round, or none")
    })
}

/// The candidates that are mentioned neither in a trade-off nor in the reason of the recommendation.
fn unweighed(value: &Value, asked: Asked<'_>) -> Option<Violation> {
    let notes = value.get("tradeoffs")?.as_array()?;
    let texts = notes.iter().filter_map(|tradeoff| tradeoff.get("notes"));
    let texts = texts.chain(value.pointer("/recommendation/reason")).filter_map(Value::as_str);
    let texts: Vec<String> = texts.map(str::to_lowercase).collect();
    let is_named = |name: &&String| !texts.iter().any(|text| names(text, name));
    let left_out: Vec<&str> =
        asked.candidates.iter().filter(is_named).map(String::as_str).collect();
    let found = match (notes.is_empty(), left_out.is_empty()) {
        (false, true) => return None,
        (true, _) => "no trade-off".to_owned(),
        (false, false) => {
            let named = explain::list(left_out.iter().take(NAMES_MAX).copied(), "or");
            format!("nothing about {named}")
        }
    };
    let message = explain::sentence("a weighing of every plan in the final round", &found);
    let hint = "name each candidate plan, as it was given, in the notes of a trade-off or in the recommendation's reason";
    Some(Violation::new("/tradeoffs", message).with_hint(hint))
}

/// Whether a lower-case text mentions a plan. Case, white space and punctuation are ignored.
fn names(text: &str, name: &str) -> bool {
    let name = squeezed(&name.to_lowercase());
    if name.chars().count() <= SHORT_NAME_MAX_CHARS && name.is_ascii() {
        let mut words = text.split(|char: char| !char.is_ascii_alphanumeric());
        return name.is_empty() || words.any(|word| word == name);
    }
    squeezed(text).contains(&name)
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).collect()
}
