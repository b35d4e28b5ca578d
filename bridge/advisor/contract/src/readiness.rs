//! The readiness of the daemon: the response of `GET /readyz`.

use serde::{Deserialize, Serialize};

/// The readiness of the daemon, with hints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readiness {
    /// Whether every check passed.
    pub ready: bool,
    /// Each check.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Name, such as `codex_found`.
    pub name: String,
    /// Whether it passed.
    pub ok: bool,
    /// The result.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Check {
    /// A passed check.
    #[must_use]
    pub fn passed(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: true, message: message.into(), hint: None }
    }

    /// A failed check.
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
