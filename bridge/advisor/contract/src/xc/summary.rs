//! What a session came to, `.x-code/sessions/ID.json` and `latest.json`. Made from the journal, which says
//! more.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::word::words;

words! {
    /// Whether a session is done.
    SessionStatus {
        /// Its last turn ended with an answer, and nothing is left to do.
        Completed = "completed",
        /// Something is left to do.
        InProgress = "in_progress",
        /// Something is left to do, and was given up.
        Abandoned = "abandoned",
    }
}

/// A session in a few words. All of it is masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session.
    pub id: SessionId,
    /// What it is about: one line.
    pub title: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// When its last turn ended, or, in a turn, when something last happened; RFC 3339 in UTC.
    pub ended_at: String,
    /// Whether it is done.
    pub status: SessionStatus,
    /// What was done, in two or three sentences.
    pub summary: String,
    /// What came of it, a line each.
    pub key_results: Vec<String>,
    /// What is left to do, a line each.
    pub pending_work: Vec<String>,
    /// The files that were changed, relative to the workspace where they lie in it.
    pub files_modified: Vec<String>,
    /// What was decided, a line each.
    pub decisions: Vec<String>,
    /// The name of the journal beside it.
    pub journal: String,
    /// The model that answered last, as `provider:model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Estimated cost in US dollars; none where a model's price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
