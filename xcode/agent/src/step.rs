//! A step: one answer of the model, and what comes of its calls; and what a turn carries from step to
//! step.

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

/// What the model is told of a call that an interrupt ended.
const INTERRUPTED: &str = "Interrupted by user.";

/// What a turn carries from step to step.
pub(crate) struct Turn<'a> {
    pub(crate) session: &'a mut State,
    pub(crate) host: &'a dyn Host,
    pub(crate) cancel: &'a Cancel,
    pub(crate) evidence: Evidence,
    pub(crate) guard: RepetitionGuard,
    /// Whether the files of the workspace are kept as they were before the turn.
    pub(crate) keeps_files: KeepsFiles,
    /// The journal's line of the prompt.
    pub(crate) line: u64,
    /// A summary could not be made; it is not tried at every step.
    pub(crate) compaction_failed: bool,
}

/// Whether a turn has kept the files as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepsFiles {
    /// Nothing was changed so far.
    NotYet,
    /// They were kept before the first effect, or cannot be.
    Done,
}

impl Turn<'_> {
    /// Keeps the files as they are before the first effect of the turn, where that is wanted.
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
    /// The model has answered, in these words.
    Answered(String),
    /// As many steps as there may be.
    TurnLimit,
    /// The same call with the same result again and again.
    Repetition,
    /// It would cost more than it may.
    CostLimit,
    /// The model cannot be asked any more.
    Failed(Failure),
    /// The user ended it.
    Interrupted,
}

/// The words of an answer for the user.
pub(crate) fn words<C>(parts: &[Part<C>]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(text.as_str()),
        Part::Reasoning { .. } | Part::Call(_) => None,
    });
    texts.collect::<String>().trim().to_owned()
}
