//! The agent's interface to its user: events go out, answers to questions come back.

use std::collections::BTreeSet;

use contract::xc::{CallLevel, What};
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::change::Change;

/// Shows events and answers questions: the terminal, `-p`, an editor, a test. A host that only shows events has no
/// user: every question to it is denied.
pub trait Host: Send + Sync {
    /// Receives an event. Must not block; the host adds sequence numbers and times.
    fn tell(&self, what: What);

    /// Decides whether a call may run. Without a user it may not.
    fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
        drop(ask);
        Box::pin(async { Answer::No(None) })
    }

    /// Asks the user the model's question. Without a user there is no answer.
    fn choose(&self, question: Question) -> BoxFuture<'_, Choice> {
        drop(question);
        Box::pin(async { Choice::Nobody })
    }

    /// The messages that the user sent while the model worked, in order; each is returned once. This is called before each
    /// model call of a turn but the first, and the messages are sent to the model as prompts.
    fn steered(&self) -> Vec<String> {
        Vec::new()
    }

    /// Asks the user to review a plan. Without a user there is no answer.
    fn review(&self, plan: Plan) -> BoxFuture<'_, Review> {
        drop(plan);
        Box::pin(async { Review::Unanswered })
    }
}

/// A call that needs permission.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, masked.
    pub input: Value,
    /// The level of danger.
    pub level: CallLevel,
    /// The reasons for asking, one per line.
    pub reasons: Vec<String>,
    /// Whether [`Answer::Session`] may be given.
    pub is_grantable: bool,
    /// The change of a file that it would make, if any; secrets in it are masked.
    pub change: Option<Change>,
}

/// An answer to an [`Ask`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Run this call.
    Once,
    /// Run this call and similar ones for the rest of the session.
    Session,
    /// Apply only these hunks of the call's change, by index in
    /// [`Change::hunks`]. Without a hunk, or if the change cannot be divided, this is a no.
    Hunks(BTreeSet<usize>),
    /// Do not run it; with a message to the model if the user wrote one.
    No(Option<String>),
}

/// A question of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub question: String,
    /// Two to four answers.
    pub offers: Vec<Offer>,
}

/// An answer that the model offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// One to five words.
    pub label: String,
    /// What it means.
    pub description: String,
}

/// A plan to be reviewed by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its file, relative to the root of the workspace. The user may change it before the answer.
    pub path: String,
    /// Its present text, masked.
    pub text: String,
    /// The advisor's opinion on its assumptions; none if the advisor was not asked.
    pub check: Option<PlanCheck>,
}

/// The advisor's opinion on a plan, masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanCheck {
    /// The opinion on each assumption, a line of Markdown each.
    Assumptions(Vec<String>),
    /// Why there is none, in one line.
    Failed(String),
}

/// The user's decision about a [`Plan`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Review {
    /// The model is to carry it out.
    Approve,
    /// The model is to change it; with a message to the model if the user wrote one.
    Reject(Option<String>),
    /// There is no user.
    Unanswered,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// An offer, by index from 0.
    Offered(usize),
    /// The user's own words.
    Own(String),
    /// There is no user.
    Nobody,
}
