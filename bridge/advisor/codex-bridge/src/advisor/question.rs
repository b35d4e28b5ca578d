//! The masked question: secrets replaced, control characters removed.

use std::collections::BTreeMap;

use contract::advice::RedactionCount;
use contract::failure::Violation;
use contract::input::{AdvisorInput, CandidatePlan, Options, Phase};
use redact::{Cut, Redactor};
use serde_json::{Value, json};

/// A masked question. Caller text reaches Codex, the log and the store only as this type.
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

    /// The names that a recommendation may use: the candidates' names after masking.
    #[must_use]
    pub fn candidates(&self) -> Vec<String> {
        self.input.candidate_plans.iter().map(|plan| plan.name.clone()).collect()
    }

    /// Number of masked texts by kind, for the response.
    #[must_use]
    pub fn redactions(&self) -> &[RedactionCount] {
        &self.redactions
    }
}

/// The fields of a masked input that the prompt contains: those of the contract, without internal ones.
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

/// Masks texts and counts the replacements by kind.
pub(super) struct Mask<'r> {
    redactor: &'r Redactor,
    masked: BTreeMap<&'static str, u32>,
}

impl<'r> Mask<'r> {
    /// A mask with all counts at zero.
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self { redactor, masked: BTreeMap::new() }
    }

    /// The replacements so far, by kind.
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

/// Masks every string of a JSON value except keys. Applied to model output before it is returned or stored.
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

/// Masks the caller's or model's text that a violation quotes.
#[must_use]
pub fn mask_violation(violation: Violation, redactor: &Redactor) -> Violation {
    Violation {
        path: mask_pointer(&violation.path, redactor),
        message: mask_text(&violation.message, redactor),
        hint: violation.hint.map(|hint| mask_text(&hint, redactor)),
    }
}

/// Masks a JSON Pointer key by key: with its slashes escaped, a URL would not be recognised as one.
fn mask_pointer(pointer: &str, redactor: &Redactor) -> String {
    let mask = |key: &str| {
        let key = key.replace("~1", "/").replace("~0", "~");
        mask_text(&key, redactor).replace('~', "~0").replace('/', "~1")
    };
    pointer.split('/').map(mask).collect::<Vec<_>>().join("/")
}
