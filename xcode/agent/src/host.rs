//! The agent's only way to a user: what happens goes out, questions come back.

use std::collections::BTreeSet;

use contract::xc::{CallLevel, What};
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::change::Change;

/// Who shows what happens and answers questions: the terminal, `-p`, an editor, a test. A host that only shows has no
/// user: everything that asks for one is refused.
pub trait Host: Send + Sync {
    /// Something happened. Never blocks; numbers and times are the host's to add.
    fn tell(&self, what: What);

    /// Whether a call may run. Without a user it may not.
    fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
        drop(ask);
        Box::pin(async { Answer::No(None) })
    }

    /// The model's question to the user. Without a user there is no answer.
    fn choose(&self, question: Question) -> BoxFuture<'_, Choice> {
        drop(question);
        Box::pin(async { Choice::Nobody })
    }

    /// What the user said while the model worked, in order; each text is given once. It is asked before each
    /// model call of a turn but the first, and what it gives is told to the model as a prompt.
    fn steered(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the user says to a plan. Without a user there is no answer.
    fn review(&self, plan: Plan) -> BoxFuture<'_, Review> {
        drop(plan);
        Box::pin(async { Review::Unanswered })
    }
}

/// A call that waits for a yes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, masked.
    pub input: Value,
    /// How dangerous it is.
    pub level: CallLevel,
    /// Why, a line each.
    pub reasons: Vec<String>,
    /// [`Answer::Session`] may be given.
    pub is_grantable: bool,
    /// What it would write, where it would write a file; secrets in it are masked.
    pub change: Option<Change>,
}

/// An answer to an [`Ask`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This call.
    Once,
    /// This call, and those like it for the rest of the session.
    Session,
    /// Of the change that this call would make, these hunks alone, by their place from 0 in
    /// [`Change::hunks`]. Without a hunk, or where the change has none to choose, it is a no.
    Hunks(BTreeSet<usize>),
    /// No, with words for the model where the user has some.
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

/// A plan that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its file, relative to the root of the workspace. The user may change it before the answer.
    pub path: String,
    /// What it says now, masked.
    pub text: String,
    /// What the advisor says of its assumptions; none where it was not asked.
    pub check: Option<PlanCheck>,
}

/// What the advisor says of a plan, masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanCheck {
    /// Of each assumption, a line of Markdown each.
    Assumptions(Vec<String>),
    /// Why it says nothing, in one line.
    Failed(String),
}

/// What the user says to a [`Plan`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Review {
    /// The model shall carry it out.
    Approve,
    /// It shall change it, with words for the model where the user has some.
    Reject(Option<String>),
    /// There is no user.
    Unanswered,
}

/// What the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// An offer, by its place from 0.
    Offered(usize),
    /// Words of the user's own.
    Own(String),
    /// There is no user.
    Nobody,
}
