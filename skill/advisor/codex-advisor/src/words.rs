//! What may be said of a text that is not a question: where it is wrong, and nothing that it holds.
//!
//! This command may be pointed at any file of the project, so that a key, a password or a line of a file
//! that is no question must not come back in an error message.

use contract::failure::Violation;
use redact::Cut;
use serde_json::Value;

/// The field that makes an object a question, well or badly made, together with one of [`OTHERS`].
const DISTINCTIVE: &str = "problem";

/// The other fields that a question must have.
const OTHERS: [&str; 3] = ["candidate_plans", "context", "phase"];

/// What stands before the words on a value.
const FOUND: &str = ", found ";

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
/// question; of anything else only which fields of a question it lacks or has wrong.
pub(crate) fn of_violations(document: &Value, violations: Vec<Violation>) -> Vec<Violation> {
    let Some(fields) = document.as_object() else {
        let message = "expected an object with `problem`, `context`, `candidate_plans` and `phase`";
        return vec![Violation::new("", message)];
    };
    let has = |name: &str| fields.contains_key(name);
    if has(DISTINCTIVE) && OTHERS.iter().any(|name| has(name)) {
        return violations.into_iter().map(masked).collect();
    }
    let is_known = |path: &str| {
        path.strip_prefix('/').is_some_and(|name| name == DISTINCTIVE || OTHERS.contains(&name))
    };
    violations.into_iter().filter(|violation| is_known(&violation.path)).map(blank).collect()
}

/// The violation without what was found.
fn blank(violation: Violation) -> Violation {
    let message = violation.message.split(FOUND).next().unwrap_or_default().to_owned();
    Violation { message, hint: None, ..violation }
}

fn masked(violation: Violation) -> Violation {
    Violation {
        path: sanitize(&violation.path),
        message: sanitize(&violation.message),
        hint: violation.hint.as_deref().map(sanitize),
    }
}

/// A text without control characters and secrets.
pub(crate) fn sanitize(text: &str) -> String {
    redact::sanitize(text, Cut::NONE)
}
