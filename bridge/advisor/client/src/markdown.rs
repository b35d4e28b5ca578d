//! Renders advice as Markdown, for people and models: the recommendation first, then its reason, then the rest.
//! Not here: a program's own titles and last lines.

use std::fmt::Write as _;

use contract::advice::{Advice, AssumptionStatus};

/// Adds the recommendation with its reason, then every other section.
pub fn advice(text: &mut String, advice: &Advice) {
    let recommendation = &advice.recommendation;
    let (plan, confidence) = (&recommendation.preferred_plan, recommendation.confidence.as_str());
    paragraph(text, &format!("Recommendation: {plan} (confidence: {confidence})"));
    paragraph(text, &recommendation.reason);
    sections(text, advice);
}

/// Adds every section of advice except the recommendation, in order of importance.
pub fn sections(text: &mut String, advice: &Advice) {
    let tradeoffs = advice
        .tradeoffs
        .iter()
        .map(|tradeoff| format!("**{}**: {}", tradeoff.dimension.as_str(), tradeoff.notes));
    list(text, "Trade-offs", tradeoffs);
    list(text, "Assumptions", assumptions(advice));
    list(text, "Questions for you", advice.clarifying_questions.iter().cloned());
    if !advice.alternatives.is_empty() {
        text.push_str("## Alternatives\n\n");
    }
    for alternative in &advice.alternatives {
        let _ = writeln!(text, "### {}\n", alternative.name);
        paragraph(text, &alternative.description);
        let pros = alternative.pros.iter().map(|pro| format!("+ {pro}"));
        let cons = alternative.cons.iter().map(|con| format!("- {con}"));
        for line in pros.chain(cons) {
            let _ = writeln!(text, "{}", indented(&line));
        }
        if !alternative.pros.is_empty() || !alternative.cons.is_empty() {
            text.push('\n');
        }
        if !alternative.applicable_when.trim().is_empty() {
            paragraph(text, &format!("Applicable when: {}", alternative.applicable_when));
        }
    }
    list(text, "Follow-ups", advice.followup_suggestions.iter().cloned());
    if !advice.raw_text.trim().is_empty() {
        text.push_str("## Summary\n\n");
        paragraph(text, &advice.raw_text);
    }
}

/// The advisor's opinion on each assumption, one per line.
pub fn assumptions(advice: &Advice) -> impl Iterator<Item = String> {
    advice.assumption_check.iter().map(|check| {
        let verdict = match check.status {
            AssumptionStatus::Plausible => check.status.as_str().to_owned(),
            // Marked, so that no reader overlooks it.
            AssumptionStatus::Risky | AssumptionStatus::Invalid => {
                check.status.as_str().to_uppercase()
            }
        };
        format!("**{verdict}**: {} - {}", check.text, check.comment)
    })
}

/// Adds a section with a list; nothing if the list is empty.
pub fn list(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    for line in lines {
        let _ = writeln!(text, "- {}", indented(&line));
    }
    text.push('\n');
}

/// Adds a paragraph.
pub fn paragraph(text: &mut String, words: &str) {
    let _ = writeln!(text, "{}\n", words.trim());
}

/// The text with its further lines indented as part of their list item.
#[must_use]
pub fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}
