//! The question as it may leave the machine: secrets masked, control characters gone.

use std::collections::BTreeMap;

use contract::advice::RedactionCount;
use contract::failure::Violation;
use contract::input::{AdvisorInput, CandidatePlan, Options, Phase};
use redact::{Cut, Redactor};
use serde_json::{Value, json};

/// A masked question. Nothing of the caller's text reaches Codex, the log or the store but through this.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    input: AdvisorInput,
    redactions: Vec<RedactionCount>,
}

impl Question {
    /// Masks every text of the input, the model's name included: a secret that was pasted there
    /// would be sent like any other. Ids, the workspace and bounds stay as they are.
    #[must_use]
    pub fn mask(input: AdvisorInput, redactor: &Redactor) -> Self {
        let mut mask = Mask::new(redactor);
        let candidate_plans = input
            .candidate_plans
            .into_iter()
            .map(|plan| CandidatePlan {
                name: mask.text(&plan.name),
                description: mask.text(&plan.description),
                assumptions: mask.texts(&plan.assumptions),
                suspicions: mask.texts(&plan.suspicions),
            })
            .collect();
        let input = AdvisorInput {
            problem: mask.text(&input.problem),
            context: mask.text(&input.context),
            candidate_plans,
            questions_for_codex: mask.texts(&input.questions_for_codex),
            non_goals: mask.texts(&input.non_goals),
            phase: input.phase,
            session_id: input.session_id,
            workspace: input.workspace,
            options: Options {
                model: input.options.model.map(|model| mask.text(&model)),
                ..input.options
            },
        };
        Self { input, redactions: mask.counts() }
    }

    /// The masked input.
    #[must_use]
    pub fn input(&self) -> &AdvisorInput {
        &self.input
    }

    /// The round's phase.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.input.phase
    }

    /// The names that a recommendation may use: the candidates' as the advisor sees them.
    #[must_use]
    pub fn candidates(&self) -> Vec<String> {
        self.input.candidate_plans.iter().map(|plan| plan.name.clone()).collect()
    }

    /// What was masked, by kind, for the report.
    #[must_use]
    pub fn redactions(&self) -> &[RedactionCount] {
        &self.redactions
    }
}

/// What the advisor is shown of a masked input: the contract's fields, and nothing of ours.
#[must_use]
pub fn shown(input: &AdvisorInput) -> Value {
    json!({
        "phase": input.phase.as_str(),
        "problem": input.problem,
        "context": input.context,
        "candidate_plans": input.candidate_plans,
        "questions_for_codex": input.questions_for_codex,
        "non_goals": input.non_goals,
    })
}

/// Masks texts and counts what it masked.
pub(super) struct Mask<'r> {
    redactor: &'r Redactor,
    masked: BTreeMap<&'static str, u32>,
}

impl<'r> Mask<'r> {
    /// A mask that has seen nothing.
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self { redactor, masked: BTreeMap::new() }
    }

    /// What was masked so far, by kind.
    pub(super) fn counts(self) -> Vec<RedactionCount> {
        let counts = self.masked.into_iter();
        counts.map(|(kind, count)| RedactionCount { kind: kind.to_owned(), count }).collect()
    }

    /// The text, masked.
    pub(super) fn text(&mut self, text: &str) -> String {
        let redacted = self.redactor.sanitize(text, Cut::NONE);
        for (kind, count) in &redacted.counts {
            *self.masked.entry(kind).or_default() += count;
        }
        redacted.text.into_owned()
    }

    fn texts(&mut self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.text(text)).collect()
    }
}

/// Masks every string of a JSON value, keys excepted: what the model said, before it is answered or stored.
#[must_use]
pub fn mask_value(value: Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => Value::String(mask_text(&text, redactor)),
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| mask_value(item, redactor)).collect())
        }
        Value::Object(members) => Value::Object(
            members.into_iter().map(|(key, member)| (key, mask_value(member, redactor))).collect(),
        ),
        other => other,
    }
}

/// Removes control characters from a text and masks its secrets.
#[must_use]
pub fn mask_text(text: &str, redactor: &Redactor) -> String {
    redactor.sanitize(text, Cut::NONE).text.into_owned()
}

/// Masks what a violation repeats.
#[must_use]
pub fn mask_violation(violation: Violation, redactor: &Redactor) -> Violation {
    Violation {
        path: mask_pointer(&violation.path, redactor),
        message: mask_text(&violation.message, redactor),
        hint: violation.hint.map(|hint| mask_text(&hint, redactor)),
    }
}

/// Masks a JSON Pointer key by key: with its slashes escaped, a URL would not be known for one.
fn mask_pointer(pointer: &str, redactor: &Redactor) -> String {
    let mask = |key: &str| {
        let key = key.replace("~1", "/").replace("~0", "~");
        mask_text(&key, redactor).replace('~', "~0").replace('/', "~1")
    };
    pointer.split('/').map(mask).collect::<Vec<_>>().join("/")
}
