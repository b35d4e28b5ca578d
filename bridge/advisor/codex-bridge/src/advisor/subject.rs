//! What is put to Codex, and what its answer has to be: the two sorts of consultation.

use std::path::PathBuf;

use contract::advice::{Advice, Asked};
use contract::input::Phase;
use contract::orchestrate::CONTINUITY_LOST;

use super::next::Opening;
use super::prompt::{self, FirstRound};
use super::question::Question;
use super::turn::Turn;

/// What is asked.
#[derive(Debug)]
pub enum Subject {
    /// Advice that keeps the output contract.
    Advice {
        /// The masked question.
        question: Box<Question>,
        /// Round 1, for a thread that does not hold it.
        earlier: Earlier,
        /// The strict schema of the answer.
        output_schema: PathBuf,
    },
    /// A turn of the user's own Codex.
    Turn(Box<Turn>),
}

/// What Codex answered, masked.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To a question for advice.
    Advice(Box<Advice>),
    /// In a turn of the user's own.
    Text(String),
}

/// What is known of round 1 in round 2.
#[derive(Debug)]
pub enum Earlier {
    /// This is the session's first round.
    None,
    /// Its question and advice.
    Kept(Box<FirstRound>),
    /// There was one, and the operator keeps no texts.
    NotKept,
}

impl Earlier {
    fn kept(&self) -> Option<&FirstRound> {
        match self {
            Self::Kept(round) => Some(round),
            Self::None | Self::NotKept => None,
        }
    }
}

pub(super) const RESTATED: &str =
    "the thread of round 1 could not be used: round 1 was restated in a new thread";
const FORGOTTEN: &str = "the thread of round 1 could not be used, and its text is not kept: the advisor saw this round's question only";
const UNSAVED: &str = "codex could not save the conversation: a second round will restate this one";
const UNSAVED_TURN: &str =
    "codex could not save the conversation: the next turn will not know of this one";

impl Subject {
    /// The prompt for a thread that holds what came before.
    pub(super) fn prompt(&self) -> String {
        match self {
            Self::Advice { question, .. } => prompt::round(question, None),
            Self::Turn(turn) => turn.prompt(),
        }
    }

    /// The prompt for a thread that holds nothing.
    pub(super) fn restated(&self) -> String {
        match self {
            Self::Advice { question, earlier, .. } => prompt::round(question, earlier.kept()),
            Self::Turn(turn) => turn.prompt(),
        }
    }

    /// What to say where a thread that holds nothing stands in for the one the caller meant;
    /// nothing where there is no such.
    pub(super) fn forgotten(&self, opening: Opening) -> Option<&'static str> {
        match (self, opening) {
            (Self::Advice { earlier: Earlier::None, .. }, _) => None,
            (Self::Advice { earlier: Earlier::Kept(_), .. }, _) => Some(RESTATED),
            (Self::Advice { earlier: Earlier::NotKept, .. }, _) => Some(FORGOTTEN),
            (Self::Turn(_), Opening::New) => None,
            (Self::Turn(_), Opening::Continued { .. }) => Some(CONTINUITY_LOST),
        }
    }

    /// The file with the answer's schema, where it has one.
    pub(super) fn output_schema(&self) -> Option<PathBuf> {
        match self {
            Self::Advice { output_schema, .. } => Some(output_schema.clone()),
            Self::Turn(_) => None,
        }
    }

    /// What advice has to fit; nothing where the answer is no advice.
    pub(super) fn asked(&self) -> Option<AskedOf> {
        let Self::Advice { question, earlier, .. } = self else { return None };
        let first = earlier.kept().into_iter();
        let earlier = first.flat_map(|first| &first.advice.alternatives);
        Some(AskedOf {
            phase: question.phase(),
            candidates: question.candidates(),
            earlier: earlier.map(|plan| plan.name.clone()).collect(),
        })
    }
}

/// What advice has to fit: see [`Asked`].
pub(super) struct AskedOf {
    phase: Phase,
    candidates: Vec<String>,
    earlier: Vec<String>,
}

impl AskedOf {
    /// The same for the contract.
    pub(super) fn get(&self) -> Asked<'_> {
        Asked { phase: self.phase, candidates: &self.candidates, earlier: &self.earlier }
    }
}

impl Answer {
    /// What to say where Codex could not save the thread.
    pub(super) fn unsaved(&self) -> &'static str {
        match self {
            Self::Advice(_) => UNSAVED,
            Self::Text(_) => UNSAVED_TURN,
        }
    }
}
