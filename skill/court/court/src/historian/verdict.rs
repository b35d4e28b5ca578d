//! Parses the historian's answer by its labels. Total: an answer in another format counts as advice as a whole.

use crate::fence;

/// Maximum length of each part, in characters, and maximum number of repeated parts.
const ADVICE_MAX: usize = 1_500;
const PART_MAX: usize = 300;
const PARTS_MAX: usize = 5;

/// The historian's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Verdict {
    /// The format is correct: there is a verdict.
    pub(super) is_readable: bool,
    /// It has a concern.
    pub(super) is_concern: bool,
    /// For the main agent.
    pub(super) advice: String,
    /// For the ledger, until they are resolved.
    pub(super) risks: Vec<String>,
    /// Ids of resolved risks.
    pub(super) resolved: Vec<String>,
    /// For the project's memory.
    pub(super) remember: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Verdict,
    Advice,
    Risk,
    Resolved,
    Remember,
}

const LABELS: [(&str, Label); 9] = [
    ("verdict", Label::Verdict),
    ("advice", Label::Advice),
    ("risk", Label::Risk),
    ("resolved", Label::Resolved),
    ("remember", Label::Remember),
    ("结论", Label::Verdict),
    ("进言", Label::Advice),
    ("风险", Label::Risk),
    ("记住", Label::Remember),
];

#[must_use]
pub(super) fn read(answer: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let mut advice = String::new();
    let mut in_advice = false;
    for line in answer.lines() {
        let Some((label, rest)) = labelled(line) else {
            if in_advice {
                advice.push('\n');
                advice.push_str(line);
            }
            continue;
        };
        in_advice = label == Label::Advice;
        match label {
            Label::Verdict => {
                let word = rest.to_lowercase();
                verdict.is_readable |= word.starts_with("pass") || word.starts_with("concern");
                verdict.is_concern |= word.starts_with("concern");
            }
            Label::Advice => {
                advice.push('\n');
                advice.push_str(rest);
            }
            Label::Risk => push(&mut verdict.risks, rest),
            Label::Resolved => {
                let other = |char: char| !(char.is_ascii_alphanumeric() || char == '_');
                let id = rest.trim_start_matches(other).split(other).next();
                push(&mut verdict.resolved, id.unwrap_or_default());
            }
            Label::Remember => push(&mut verdict.remember, rest),
        }
    }
    let is_labelled = verdict.is_readable || !advice.is_empty();
    let words = if is_labelled { advice.as_str() } else { answer };
    verdict.advice = fence::sanitize(words.trim(), ADVICE_MAX);
    if is_nothing(&verdict.advice) {
        verdict.advice.clear();
    }
    verdict
}

/// A line's label and the text after it: `- **ADVICE**: text`.
fn labelled(line: &str) -> Option<(Label, &str)> {
    let line = line.trim_start_matches(['-', '*', '#', '>', ' ', '\t']);
    let (word, label) = LABELS.iter().find(|(word, _)| {
        line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    })?;
    let rest = line[word.len()..].trim_start_matches(['*', ' ']);
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
    Some((*label, rest.trim_start_matches(['*', ' ', '\t']).trim_end()))
}

fn push(parts: &mut Vec<String>, text: &str) {
    let text = fence::sanitize_line(text, PART_MAX);
    if !is_nothing(&text) && parts.len() < PARTS_MAX && !parts.contains(&text) {
        parts.push(text);
    }
}

fn is_nothing(text: &str) -> bool {
    let bare = text.trim().trim_end_matches('.').to_lowercase();
    matches!(bare.as_str(), "" | "none" | "n/a" | "-" | "无")
}
