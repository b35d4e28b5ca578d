//! Extracts a sub-agent's self-report from its last message: a summary, its confidence, and
//! problems. Not here: trust in it.

use serde_json::Value;

use crate::fence;
use crate::records::{Confidence, SelfReport};

/// Maximum length of a summary, in characters.
const SUMMARY_MAX: usize = 200;
/// Maximum number of anomalies, and maximum length of each.
const ANOMALIES_MAX: usize = 5;
const ANOMALY_MAX: usize = 160;
/// Maximum size of the text that is searched, in bytes.
const LOOK_MAX: usize = 64 * 1024;

/// Labels of a confidence.
const CONFIDENCE: [&str; 4] = ["confidence", "置信度", "信心", "把握"];
/// Labels of an anomaly.
const ANOMALY: [&str; 6] = ["anomaly", "anomalies", "problem", "warning", "异常", "问题"];

/// Parses a self-report: as JSON if the text is an object with `selfReport` or `__metadata__`,
/// otherwise from lines such as `Confidence: low` and `Anomaly: two tests fail`.
#[must_use]
pub fn self_report(words: &str) -> SelfReport {
    let words = &words[..words.floor_char_boundary(LOOK_MAX)];
    object(words).unwrap_or_else(|| SelfReport {
        summary: fence::sanitize_line(words, SUMMARY_MAX),
        confidence: labelled(words, &CONFIDENCE).find_map(confidence).unwrap_or(Confidence::Medium),
        anomalies: labelled(words, &ANOMALY).filter_map(anomaly).take(ANOMALIES_MAX).collect(),
    })
}

fn object(words: &str) -> Option<SelfReport> {
    let object: Value = serde_json::from_str(words.trim()).ok()?;
    let report = object.get("__metadata__").unwrap_or(&object).get("selfReport")?;
    let text = |key: &str| report.get(key).and_then(Value::as_str);
    let anomalies = report.get("anomalies").and_then(Value::as_array);
    Some(SelfReport {
        summary: fence::sanitize_line(text("summary").unwrap_or_default(), SUMMARY_MAX),
        confidence: text("confidence").and_then(confidence).unwrap_or(Confidence::Medium),
        anomalies: anomalies
            .into_iter()
            .flatten()
            .filter_map(|text| anomaly(text.as_str()?))
            .take(ANOMALIES_MAX)
            .collect(),
    })
}

/// The text after one of the labels, line by line: `- **Label**: text`.
fn labelled<'w>(words: &'w str, labels: &'w [&str]) -> impl Iterator<Item = &'w str> {
    words.lines().filter_map(move |line| {
        let line = line.trim_start_matches(['-', '*', '#', '>', ' ', '\t', '"']);
        let label = labels.iter().find(|label| {
            line.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label))
        })?;
        let rest = line[label.len()..].trim_start_matches(['*', '"', ' ', '\t']);
        let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
        Some(rest.trim_start_matches(['*', '"', ' ', '\t']).trim())
    })
}

fn confidence(word: &str) -> Option<Confidence> {
    let word = word.to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
    if begins(&["high", "高"]) {
        Some(Confidence::High)
    } else if begins(&["medium", "中"]) {
        Some(Confidence::Medium)
    } else if begins(&["low", "低"]) {
        Some(Confidence::Low)
    } else {
        None
    }
}

fn anomaly(text: &str) -> Option<String> {
    let text = fence::sanitize_line(text, ANOMALY_MAX);
    let nothing = ["", "none", "no", "n/a", "[]", "无", "没有"];
    let bare = text.trim_end_matches(['.', '。', ',']).to_lowercase();
    (!nothing.contains(&bare.as_str())).then_some(text)
}
