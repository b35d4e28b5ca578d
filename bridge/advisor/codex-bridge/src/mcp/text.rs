//! Advice as text: everything that a model or a person needs, the recommendation first.

use client::markdown::{list, paragraph, sections};
use contract::advice::Report;

/// The whole report.
pub(super) fn report(report: &Report) -> String {
    let (advice, meta) = (&report.advice, &report.meta);
    let mut text = String::new();
    let recommendation = &advice.recommendation;
    let (plan, confidence) = (&recommendation.preferred_plan, recommendation.confidence.as_str());
    paragraph(&mut text, &format!("Recommendation: {plan} (confidence: {confidence})"));
    paragraph(&mut text, &recommendation.reason);
    sections(&mut text, advice);
    list(&mut text, "Limits of this answer", meta.limits.iter().cloned());
    let (session, left, run) = (meta.session_id, meta.rounds_left, meta.run_id);
    paragraph(&mut text, &format!("session_id: {session}, rounds left: {left}, run_id: {run}"));
    text
}
