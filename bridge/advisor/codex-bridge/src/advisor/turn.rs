//! A masked turn of the user's own Codex: secrets replaced, control characters removed.

use contract::advice::RedactionCount;
use contract::input::Options;
use contract::orchestrate::{OrchestrateInput, Orchestration};
use redact::Redactor;

use super::question::{Mask, mask_value};

/// A masked turn. Caller text reaches Codex, the log and the store only as this type.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    input: OrchestrateInput,
    redactions: Vec<RedactionCount>,
}

impl Turn {
    /// Masks the prompt, the model's name and every text of the report. Ids, the workspace and
    /// bounds stay as they are.
    #[must_use]
    pub fn mask(input: OrchestrateInput, redactor: &Redactor) -> Self {
        let mut mask = Mask::new(redactor);
        let input = OrchestrateInput {
            prompt: mask.text(&input.prompt),
            options: Options {
                model: input.options.model.map(|model| mask.text(&model)),
                ..input.options
            },
            orchestration: input.orchestration.map(|report| masked(report, redactor)),
            ..input
        };
        Self { input, redactions: mask.counts() }
    }

    /// The masked input.
    #[must_use]
    pub fn input(&self) -> &OrchestrateInput {
        &self.input
    }

    /// The prompt for Codex: the context fenced as data, then the user's prompt.
    #[must_use]
    pub fn prompt(&self) -> String {
        fence::before_prompt(self.input.context(), &self.input.prompt)
    }

    /// What was masked in the prompt, by kind.
    #[must_use]
    pub fn redactions(&self) -> &[RedactionCount] {
        &self.redactions
    }
}

/// The report with every text masked.
#[must_use]
pub fn masked(report: Orchestration, redactor: &Redactor) -> Orchestration {
    report.mapped(|value| mask_value(value, redactor))
}
