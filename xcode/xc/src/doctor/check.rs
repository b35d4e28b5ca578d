//! A check of `xc doctor`.

use serde::Serialize;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It works.
    Ok,
    /// It works less well than it could.
    Warning,
    /// It keeps `xc` from working.
    Failed,
}

/// A check with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    /// The result.
    pub(crate) state: State,
    pub(crate) found: String,
    /// How to fix it, if something is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mend: Option<String>,
}

impl Check {
    /// It works.
    pub(super) fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), mend: None }
    }

    /// It works less well than it could.
    pub(super) fn warning(
        name: &'static str,
        found: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        let mend = Some(mend.into());
        Self { name, state: State::Warning, found: found.into(), mend }
    }

    /// It keeps `xc` from working.
    pub(super) fn failed(
        name: &'static str,
        found: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { state: State::Failed, ..Self::warning(name, found, mend) }
    }
}
