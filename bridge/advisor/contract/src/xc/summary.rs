//! Summary of a session, `.x-code/sessions/ID.json` and `latest.json`. Generated from the journal, which has
//! more detail.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::word::words;

words! {
    /// Whether a session is finished.
    SessionStatus {
        /// Its last turn ended with an answer, and no work is left.
        Completed = "completed",
        /// Some work is left.
        InProgress = "in_progress",
        /// Some work is left, and was given up.
        Abandoned = "abandoned",
    }
}

/// Summary of a session. All texts are masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session.
    pub id: SessionId,
    /// Its topic in one line.
    pub title: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// When its last turn ended, or, during a turn, when the last event happened; RFC 3339 in UTC.
    pub ended_at: String,
    /// Whether it is finished.
    pub status: SessionStatus,
    /// What was done, in two or three sentences.
    pub summary: String,
    /// Results, one line each.
    pub key_results: Vec<String>,
    /// Remaining work, one line each.
    pub pending_work: Vec<String>,
    /// The changed files, relative to the workspace if they lie in it.
    pub files_modified: Vec<String>,
    /// Decisions, one line each.
    pub decisions: Vec<String>,
    /// The name of the journal beside it.
    pub journal: String,
    /// The last model that answered, as `provider:model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Estimated cost in US dollars; absent if a model's price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
