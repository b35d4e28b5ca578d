//! Canned advice for a question: it names the caller's plans, observes the phase, uses
//! the question's language, and fulfils the output contract. Its summary and its reason say that it comes from a
//! mock model.

mod words;

use serde_json::{Value, json};

use crate::question::{Plan, Question, Round};
use words::{Words, of};

/// The most clarifying questions of a first round; the contract allows five.
const QUESTIONS_MAX: usize = 3;

/// The most assumptions that are judged.
const ASSUMPTIONS_MAX: usize = 6;

/// The dimensions of the output contract, in the order of [`Words::tradeoffs`].
const DIMENSIONS: [&str; 5] =
    ["maintainability", "risk", "performance", "consistency", "complexity"];

/// The answer to the latest question in the user's messages, as JSON text.
#[must_use]
pub fn answer(user_texts: &[String]) -> String {
    advice(&Question::find(user_texts)).to_string()
}

/// The answer to a question: an object of the output contract.
#[must_use]
pub fn advice(question: &Question) -> Value {
    let words = of(question.language);
    let names: Vec<&str> = question.plans.iter().map(|plan| plan.name.as_str()).collect();
    let plan = names.first().copied();
    let alternative = unused_name(words.alternative_name, &names);
    let (preferred, confidence) = match (question.round, plan) {
        (Round::Initial, Some(plan)) => (plan, "low"),
        (Round::Final, Some(plan)) => (plan, "medium"),
        (_, None) => (alternative.as_str(), "low"),
    };
    json!({
        "clarifying_questions": clarifying_questions(question, words),
        "assumption_check": assumption_check(&question.plans, words),
        "alternatives": [{
            "name": alternative,
            "description": fill(words.alternative_description, plan.unwrap_or(words.the_goal)),
            "pros": words.alternative_pros,
            "cons": words.alternative_cons,
            "applicable_when": words.alternative_when,
        }],
        "tradeoffs": tradeoffs(question, preferred, words),
        "recommendation": {
            "preferred_plan": preferred,
            "reason": fill(words.reason, preferred),
            "confidence": confidence,
        },
        "followup_suggestions": words.followups,
        "raw_text": summary(question, preferred, words),
    })
}

/// Round 1 has clarifying questions; round 2 has none.
fn clarifying_questions(question: &Question, words: &Words) -> Vec<String> {
    if question.round == Round::Final {
        return Vec::new();
    }
    let doubts = question.plans.iter().flat_map(|plan| &plan.suspicions);
    let asked = question.questions.iter().map(|each| fill(words.about_question, each));
    let doubted = doubts.map(|each| fill(words.about_suspicion, each));
    let general = words.questions.iter().map(|&each| each.to_owned());
    asked.take(1).chain(doubted.take(1)).chain(general).take(QUESTIONS_MAX).collect()
}

/// A verdict on every assumption: those of a plan with suspicions are judged more strictly.
fn assumption_check(plans: &[Plan], words: &Words) -> Vec<Value> {
    let judge = |plan: &Plan| {
        let (status, comment) = if plan.suspicions.is_empty() {
            ("plausible", words.plausible)
        } else {
            ("risky", words.risky)
        };
        let name = plan.name.clone();
        let verdict = move |text: &String| json!({ "text": text, "status": status, "comment": fill(comment, &name) });
        plan.assumptions.iter().map(verdict).collect::<Vec<_>>()
    };
    plans.iter().flat_map(judge).take(ASSUMPTIONS_MAX).collect()
}

/// Round 1 covers the two most important dimensions; round 2 covers all, against every other plan.
fn tradeoffs(question: &Question, preferred: &str, words: &Words) -> Vec<Value> {
    let pair = |(dimension, notes): (&&str, &&str)| json!({ "dimension": dimension, "notes": fill(notes, preferred) });
    let mut pairs: Vec<Value> = DIMENSIONS.iter().zip(&words.tradeoffs).map(pair).collect();
    match question.round {
        Round::Initial => pairs.truncate(2),
        Round::Final => {
            let names = question.plans.iter().map(|plan| plan.name.as_str());
            let others: Vec<&str> = names.filter(|name| *name != preferred).collect();
            if let (Some(Value::String(notes)), false) =
                (pairs[0].get_mut("notes"), others.is_empty())
            {
                notes.push_str(&fill(words.others, &others.join(words.separator)));
            }
        }
    }
    pairs
}

fn summary(question: &Question, preferred: &str, words: &Words) -> String {
    let body = match question.round {
        Round::Initial => words.initial_summary,
        Round::Final => words.final_summary,
    };
    format!("{} {}", words.scripted, fill(body, preferred))
}

fn fill(template: &str, value: &str) -> String {
    template.replace("{}", value)
}

/// The wanted name, changed if a caller's plan has it already.
fn unused_name(wished: &str, taken: &[&str]) -> String {
    let mut name = wished.to_owned();
    while taken.contains(&name.as_str()) {
        name.push('*');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(phase: &str, problem: &str, plans: Value) -> Value {
        let question = json!({
            "problem": problem, "context": "", "candidate_plans": plans, "phase": phase,
            "questions_for_codex": ["Is it safe?"],
        });
        serde_json::from_str(&answer(&[question.to_string()])).unwrap()
    }

    fn two_plans() -> Value {
        json!([
            { "name": "outbox", "assumptions": ["one writer"], "suspicions": ["lag"] },
            { "name": "two-phase", "assumptions": ["all nodes up"] },
        ])
    }

    #[test]
    fn round_one_asks_and_round_two_weighs() {
        let first = ask("initial", "How to publish?", two_plans());
        let second = ask("final", "How to publish?", two_plans());
        let count = |advice: &Value, key: &str| advice[key].as_array().unwrap().len();

        assert_eq!((count(&first, "clarifying_questions"), count(&first, "tradeoffs")), (3, 2));
        assert_eq!((count(&second, "clarifying_questions"), count(&second, "tradeoffs")), (0, 5));
        assert_eq!(first["recommendation"]["preferred_plan"], "outbox");
        assert_eq!(second["recommendation"]["confidence"], "medium");
        assert_eq!(first["assumption_check"][0]["status"], "risky");
        assert_eq!(first["assumption_check"][1]["status"], "plausible");
    }

    #[test]
    fn every_answer_says_that_it_is_scripted_in_the_questions_language() {
        let english = ask("initial", "How to publish?", two_plans());
        let chinese = ask("final", "如何发布订单事件？", two_plans());
        let nothing: Value = serde_json::from_str(&answer(&[])).unwrap();
        for (advice, mark) in
            [(english, "Mock model"), (chinese, "模拟模型"), (nothing, "Mock model")]
        {
            for text in [&advice["raw_text"], &advice["recommendation"]["reason"]] {
                assert!(text.as_str().unwrap().contains(mark), "{text}");
            }
            assert!(!advice.to_string().contains("{}"), "{advice}");
        }
    }

    #[test]
    fn the_alternative_never_takes_a_plans_name() {
        let taken = of(crate::question::Language::English).alternative_name;
        let advice =
            ask("initial", "p", json!([{ "name": taken }, { "name": format!("{taken}*") }]));
        assert_eq!(advice["alternatives"][0]["name"], format!("{taken}**"));
    }

    #[test]
    fn a_plan_named_like_a_blank_changes_nothing() {
        let advice = ask("initial", "p", json!([{ "name": "{}" }]));
        assert_eq!(advice["recommendation"]["preferred_plan"], "{}");
    }
}
