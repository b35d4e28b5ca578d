//! What is sent to Codex and how its answer is read: the only difference between a question for advice and a
//! turn of the user's own Codex.

use std::path::PathBuf;

use codex_driver::{Reach, SandboxMode};
use contract::advice::{Advice, Asked, parse_advice};
use contract::failure::Violation;
use contract::orchestrate::CONTINUITY_LOST;
use redact::Redactor;

use super::prompt::{self, FirstRound};
use super::question::{self, Question};
use super::retry::Opening;
use super::turn::Turn;

/// What a consultation asks. All text that it returns is masked.
pub trait Subject: Send + Sync {
    /// The type of a valid answer.
    type Answer: Send + Sync;

    /// Text for `meta.limits` when Codex could not save the thread.
    const UNSAVED: &'static str;

    /// Whether an answer has a required form, so that a repair turn can correct it.
    const HAS_FORM: bool;

    /// The prompt for a thread that holds the earlier rounds.
    fn prompt(&self) -> String;

    /// The prompt for an empty thread.
    fn restated(&self) -> String;

    /// Text for `meta.limits` when an empty thread replaces the one the caller meant;
    /// `None` if no thread was replaced.
    fn forgotten(&self, opening: Opening) -> Option<&'static str>;

    /// The file with the JSON Schema of the answer, if the answer has one.
    fn output_schema(&self) -> Option<PathBuf>;

    /// Reads the last message of a completed turn.
    ///
    /// # Errors
    /// The violations, unmasked; never empty.
    fn read(&self, text: &str, redactor: &Redactor) -> Result<Self::Answer, Vec<Violation>>;

    /// Whether an attempt that got this far may have had effects that must not be repeated.
    fn has_acted(&self, reach: Reach, sandbox: SandboxMode) -> bool;
}

/// A request for advice under the output contract.
#[derive(Debug)]
pub struct Inquiry {
    /// The masked question.
    pub question: Question,
    /// Round 1, for a thread that does not hold it.
    pub earlier: Earlier,
    /// File with the strict JSON Schema of the answer.
    pub output_schema: PathBuf,
}

/// What is known of round 1 in round 2.
#[derive(Debug)]
pub enum Earlier {
    /// This is the session's first round.
    None,
    /// Its question and advice.
    Kept(Box<FirstRound>),
    /// There was a first round, but the operator has turned off storing texts.
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

impl Subject for Inquiry {
    type Answer = Box<Advice>;

    const UNSAVED: &'static str =
        "codex could not save the conversation: a second round will restate this one";
    const HAS_FORM: bool = true;

    fn prompt(&self) -> String {
        prompt::round(&self.question, None)
    }

    fn restated(&self) -> String {
        prompt::round(&self.question, self.earlier.kept())
    }

    fn forgotten(&self, _: Opening) -> Option<&'static str> {
        match self.earlier {
            Earlier::None => None,
            Earlier::Kept(_) => Some(RESTATED),
            Earlier::NotKept => Some(FORGOTTEN),
        }
    }

    fn output_schema(&self) -> Option<PathBuf> {
        Some(self.output_schema.clone())
    }

    fn read(&self, text: &str, redactor: &Redactor) -> Result<Box<Advice>, Vec<Violation>> {
        let first = self.earlier.kept().into_iter();
        let earlier = first.flat_map(|first| &first.advice.alternatives);
        let earlier: Vec<String> = earlier.map(|plan| plan.name.clone()).collect();
        let candidates = self.question.candidates();
        let asked =
            Asked { phase: self.question.phase(), candidates: &candidates, earlier: &earlier };
        parse_advice(text, asked)
            .map(|advice| Box::new(masked(advice, redactor)))
            .map_err(|fault| fault.violations)
    }

    /// A request for advice executes nothing.
    fn has_acted(&self, _: Reach, _: SandboxMode) -> bool {
        false
    }
}

/// The model never saw the question's secrets, but it may have read or invented others. Masks through
/// JSON, so that no text of the advice can be missed.
fn masked(advice: Advice, redactor: &Redactor) -> Advice {
    let value = serde_json::to_value(&advice).expect("advice is plain JSON");
    serde_json::from_value(question::mask_value(value, redactor)).unwrap_or(advice)
}

impl Subject for Turn {
    type Answer = String;

    const UNSAVED: &'static str =
        "codex could not save the conversation: the next turn will not know of this one";
    const HAS_FORM: bool = false;

    fn prompt(&self) -> String {
        Self::prompt(self)
    }

    fn restated(&self) -> String {
        Self::prompt(self)
    }

    fn forgotten(&self, opening: Opening) -> Option<&'static str> {
        match opening {
            Opening::New => None,
            Opening::Continued { .. } => Some(CONTINUITY_LOST),
        }
    }

    fn output_schema(&self) -> Option<PathBuf> {
        None
    }

    fn read(&self, text: &str, redactor: &Redactor) -> Result<String, Vec<Violation>> {
        Ok(question::mask_text(text, redactor))
    }

    /// The turn may have written a file or called a tool that does. The sandbox does not cover the tools of
    /// the user's MCP servers.
    fn has_acted(&self, reach: Reach, sandbox: SandboxMode) -> bool {
        match sandbox {
            SandboxMode::WorkspaceWrite => reach >= Reach::Asked,
            SandboxMode::ReadOnly => reach >= Reach::Acted,
        }
    }
}
