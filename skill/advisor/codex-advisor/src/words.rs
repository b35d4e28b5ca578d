//! Messages about a text that is not a question: where it is wrong, without any of its content.
//!
//! This command may be used on any file of the project, so a key, a password or a line of a file
//! that is not a question must not appear in an error message.

use contract::failure::Violation;
use redact::Cut;
use serde_json::Value;

/// The field that, together with one of [`OTHERS`], identifies an object as a question, valid or not.
const DISTINCTIVE: &str = "problem";

/// Other required fields of a question.
const OTHERS: [&str; 3] = ["candidate_plans", "context", "phase"];

/// The text before the description of a value.
const FOUND: &str = ", found ";

/// The words that a YAML parser's own messages consist of; a message with any other word may quote content.
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

/// A YAML parser's message, as far as it consists of the parser's own words.
pub(crate) fn of_yaml(message: &str) -> Option<&str> {
    // Quoted text, and text after a colon, comes from the document.
    let own = message.split([':', '`', '"', '\'']).next().unwrap_or_default();
    let own = own.split(" at line ").next().unwrap_or_default().trim().trim_end_matches(',');
    let is_known = |word: &str| YAML.contains(&word.to_ascii_lowercase().as_str());
    let mut words = own.split([' ', ',', '-']).filter(|word| !word.is_empty());
    (!own.is_empty() && words.all(is_known)).then_some(own)
}

/// The message about a document that violates the contract: for a question every fault, without secrets;
/// for anything else only which fields of a question are missing or wrong.
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

/// The violation without the value found.
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

/// A text without control characters and with secrets masked.
pub(crate) fn sanitize(text: &str) -> String {
    redact::sanitize(text, Cut::NONE)
}
