//! Puts the prompt for Codex together from fixed files and the fenced question. User text appears only inside a fence.

use contract::advice::Advice;
use contract::failure::Violation;
use contract::input::{AdvisorInput, Phase};

use super::question::{self, Question};

/// The advisor's role; Codex gets it as its base instructions.
pub const INSTRUCTIONS: &str = include_str!("prompts/instructions.md");
const INITIAL: &str = include_str!("prompts/initial.md");
const FINAL: &str = include_str!("prompts/final.md");
const EARLIER: &str = include_str!("prompts/earlier.md");
const REPAIR: &str = include_str!("prompts/repair.md");

/// Most violations listed in a repair prompt; a longer list does not help the model.
const REPAIR_VIOLATIONS_MAX: usize = 20;

/// The first round, for a thread that does not hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstRound {
    /// The masked question of round 1.
    pub question: AdvisorInput,
    /// The advice of round 1.
    pub advice: Advice,
}

/// The prompt of a round. `earlier` restates round 1 if the thread does not hold it.
#[must_use]
pub fn round(question: &Question, earlier: Option<&FirstRound>) -> String {
    let fenced = fence::json(&format!("{:#}", question::shown(question.input())));
    match question.phase() {
        Phase::Initial => fill(INITIAL, &[("{{question}}", &fenced)]),
        Phase::Final => {
            let restated = earlier.map(restate).unwrap_or_default();
            fill(FINAL, &[("{{earlier}}", &restated), ("{{question}}", &fenced)])
        }
    }
}

/// The prompt of the one repair turn: lists the violations of the last answer.
#[must_use]
pub fn repair(violations: &[Violation]) -> String {
    let mut list = String::new();
    for violation in violations.iter().take(REPAIR_VIOLATIONS_MAX) {
        let place = if violation.path.is_empty() { "the whole answer" } else { &violation.path };
        list.push_str(&format!("- {place}: {}\n", violation.message));
    }
    fill(REPAIR, &[("{{violations}}", list.trim_end())])
}

fn restate(earlier: &FirstRound) -> String {
    let both = serde_json::json!({
        "question": question::shown(&earlier.question),
        "advice": earlier.advice,
    });
    fill(EARLIER, &[("{{earlier}}", &fence::json(&format!("{both:#}")))])
}

/// Replaces each placeholder once, left to right. Inserted values are not searched for placeholders.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    for (placeholder, value) in values {
        let (before, after) = rest
            .split_once(placeholder)
            .expect("the prompt files hold their placeholders in order");
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests;
