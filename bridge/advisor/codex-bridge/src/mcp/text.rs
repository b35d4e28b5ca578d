//! Advice as text: everything that a model or a person needs, the recommendation first.

use std::fmt::Write as _;

use contract::advice::Report;
use serde::Serialize;

/// The whole report.
pub(super) fn report(report: &Report) -> String {
    let (advice, meta) = (&report.advice, &report.meta);
    let mut text = String::new();
    let recommendation = &advice.recommendation;
    let (plan, confidence) = (&recommendation.preferred_plan, word(&recommendation.confidence));
    paragraph(&mut text, &format!("Recommendation: {plan} (confidence: {confidence})"));
    paragraph(&mut text, &recommendation.reason);
    paragraph(&mut text, &advice.raw_text);
    list(&mut text, "Clarifying questions", advice.clarifying_questions.iter().cloned());
    let assumptions = advice.assumption_check.iter();
    list(
        &mut text,
        "Assumptions",
        assumptions
            .map(|check| format!("{}: {} - {}", word(&check.status), check.text, check.comment)),
    );
    let alternatives = advice.alternatives.iter().map(|alternative| {
        let (pros, cons) = (alternative.pros.join("; "), alternative.cons.join("; "));
        let (name, description) = (&alternative.name, &alternative.description);
        let when = &alternative.applicable_when;
        format!("{name}: {description} For: {pros}. Against: {cons}. Right when: {when}")
    });
    list(&mut text, "Alternatives", alternatives);
    let tradeoffs = advice.tradeoffs.iter();
    list(
        &mut text,
        "Trade-offs",
        tradeoffs.map(|t| format!("{}: {}", word(&t.dimension), t.notes)),
    );
    list(&mut text, "To follow up", advice.followup_suggestions.iter().cloned());
    list(&mut text, "Limits", meta.limits.iter().cloned());
    let (session, left, run) = (meta.session_id, meta.rounds_left, meta.run_id);
    paragraph(&mut text, &format!("session_id: {session}, rounds left: {left}, run_id: {run}"));
    text
}

fn paragraph(text: &mut String, paragraph: &str) {
    if !paragraph.trim().is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}\n", paragraph.trim());
    }
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("- {item}")).collect();
    if !items.is_empty() {
        paragraph(text, &format!("{title}:\n{}", items.join("\n")));
    }
}

/// A word of the contract as it is on the wire.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
