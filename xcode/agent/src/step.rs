//! A step: one answer of the model, and the results of its calls; and the state that a turn keeps between
//! steps.

mod background;
pub(crate) mod calls;
pub(crate) mod failure;
mod planning;
pub(crate) mod reply;

use llm::{Cancel, Failure, Part};

use crate::evidence::Evidence;
use crate::guard::RepetitionGuard;
use crate::host::Host;
use crate::state::State;

/// The result for the model of a call that was interrupted.
const INTERRUPTED: &str = "Interrupted by user.";

/// The state that a turn keeps between steps.
pub(crate) struct Turn<'a> {
    pub(crate) session: &'a mut State,
    pub(crate) host: &'a dyn Host,
    pub(crate) cancel: &'a Cancel,
    pub(crate) evidence: Evidence,
    pub(crate) guard: RepetitionGuard,
    /// Whether the checkpoint of this turn was made.
    pub(crate) keeps_files: KeepsFiles,
    /// The journal line of the prompt.
    pub(crate) line: u64,
    /// A summary has failed; it is not tried again at every step.
    pub(crate) compaction_failed: bool,
}

/// Whether a turn has made its checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepsFiles {
    /// No, nothing was changed so far.
    NotYet,
    /// It was made before the first effect, or cannot be made.
    Done,
}

impl Turn<'_> {
    /// Makes the checkpoint before the first effect of the turn, if checkpoints are stored.
    pub(crate) async fn keep_files(&mut self) {
        if self.keeps_files == KeepsFiles::Done {
            return;
        }
        self.keeps_files = KeepsFiles::Done;
        let (cancel, line) = (self.cancel.clone(), self.line);
        let kept = self.session.on_disk(move |checkpoints| checkpoints.begin(line, &cancel)).await;
        if let Some(Err(error)) = kept {
            self.note(format!("What this turn changes cannot be taken back: {error}."));
        }
    }
}

/// Why a turn ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    /// The model has answered with this text.
    Answered(String),
    /// The limit of steps was reached.
    TurnLimit,
    /// The same call had the same result too often.
    Repetition,
    /// The cost limit would be exceeded.
    CostLimit,
    /// The model has failed.
    Failed(Failure),
    /// The user interrupted it.
    Interrupted,
}

/// The text of an answer for the user.
pub(crate) fn words<C>(parts: &[Part<C>]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(text.as_str()),
        Part::Reasoning { .. } | Part::Call(_) => None,
    });
    texts.collect::<String>().trim().to_owned()
}
