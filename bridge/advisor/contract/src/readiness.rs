//! Whether the daemon can do its work, as `GET /readyz` says it.

use serde::{Deserialize, Serialize};

/// Whether the daemon can do its work, and what to mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readiness {
    /// Whether every check passed.
    pub ready: bool,
    /// Each check.
    pub checks: Vec<Check>,
}

/// One thing that must be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Such as `codex_found`.
    pub name: String,
    /// Whether it is right.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// How to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Check {
    /// A check that found what it looked for.
    #[must_use]
    pub fn passed(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: true, message: message.into(), hint: None }
    }

    /// A check that did not.
    #[must_use]
    pub fn failed(name: &str, message: impl Into<String>) -> Self {
        Self { ok: false, ..Self::passed(name, message) }
    }

    /// The same check with this hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
