//! What may be said of a text that is not a question: where it is wrong, and nothing that it holds.
//!
//! This command may be pointed at any file of the project, so that a key, a password or a line of a file
//! that is no question must not come back in an error message.

use std::borrow::Cow;

use contract::failure::Violation;
use redact::{Redactor, clean};
use serde_json::Value;

/// The fields that make an object a question, well or badly made: no other document has both.
const DISTINCTIVE: [&str; 2] = ["problem", "candidate_plans"];

/// What a question must have.
const REQUIRED: [(&str, &str); 4] = [
    ("candidate_plans", "a list with at least one plan"),
    ("context", "a text (stack, constraints, structure)"),
    ("phase", "`initial` or `final`"),
    ("problem", "a text that is not blank (the problem in one to three sentences)"),
];

/// The words in which a YAML parser may say what is wrong; a message with any other one may quote.
const YAML: &[&str] = &[
    "a",
    "alias",
    "aliases",
    "allowed",
    "an",
    "anchor",
    "and",
    "are",
    "as",
    "at",
    "be",
    "block",
    "bracket",
    "but",
    "by",
    "cannot",
    "character",
    "characters",
    "collection",
    "colon",
    "comma",
    "comment",
    "containing",
    "content",
    "context",
    "could",
    "did",
    "directive",
    "document",
    "double",
    "duplicate",
    "end",
    "entries",
    "entry",
    "escape",
    "expected",
    "find",
    "flow",
    "for",
    "found",
    "have",
    "hexadecimal",
    "implicit",
    "in",
    "incorrect",
    "indent",
    "indentation",
    "indented",
    "indicator",
    "inside",
    "invalid",
    "is",
    "key",
    "keys",
    "leading",
    "line",
    "literal",
    "mapping",
    "mappings",
    "marker",
    "merge",
    "missing",
    "more",
    "multiline",
    "must",
    "no",
    "node",
    "not",
    "number",
    "of",
    "only",
    "or",
    "parse",
    "parsing",
    "plain",
    "quote",
    "quoted",
    "required",
    "scalar",
    "scanning",
    "sequence",
    "simple",
    "single",
    "space",
    "spaces",
    "start",
    "stream",
    "string",
    "tab",
    "tabs",
    "tag",
    "than",
    "the",
    "this",
    "to",
    "token",
    "too",
    "unclosed",
    "undefined",
    "unexpected",
    "unknown",
    "unterminated",
    "value",
    "values",
    "was",
    "when",
    "where",
    "while",
    "with",
    "within",
    "without",
];

/// What is wrong with YAML, as far as the parser says it in its own words.
pub(crate) fn of_yaml(message: &str) -> Option<&str> {
    // What is quoted, and what follows a colon, is the document's.
    let own = message.split([':', '`', '"', '\'']).next().unwrap_or_default();
    let own = own.split(" at line ").next().unwrap_or_default().trim().trim_end_matches(',');
    let is_known = |word: &str| YAML.contains(&word.to_ascii_lowercase().as_str());
    let mut words = own.split([' ', ',', '-']).filter(|word| !word.is_empty());
    (!own.is_empty() && words.all(is_known)).then_some(own)
}

/// What is said of a document that breaks the contract: every fault, in words without secrets, of a
/// question; of anything else only what a question must have.
pub(crate) fn of_violations(document: &Value, violations: Vec<Violation>) -> Vec<Violation> {
    let fields = document.as_object();
    let is_question =
        fields.is_some_and(|fields| DISTINCTIVE.iter().all(|name| fields.contains_key(*name)));
    if is_question {
        return violations.into_iter().map(masked).collect();
    }
    let missing =
        REQUIRED.iter().filter(|(name, _)| fields.is_none_or(|fields| !fields.contains_key(*name)));
    let missing = missing.map(|(name, expected)| {
        Violation::new(format!("/{name}"), format!("expected {expected}, found nothing"))
    });
    missing.collect()
}

fn masked(violation: Violation) -> Violation {
    Violation {
        path: tame(&violation.path),
        message: tame(&violation.message),
        hint: violation.hint.as_deref().map(tame),
    }
}

/// A text without control characters and secrets.
pub(crate) fn tame(text: &str) -> String {
    let clean: Cow<'_, str> = clean(text);
    Redactor::new().redact(&clean).text.into_owned()
}
