//! `codex-advisor status`: where the bridge is, whether it responds, and what is wrong.

use client::Presence;
use client::exit::Exit;
use contract::failure::Failure;
use contract::readiness::{Check, Readiness};
use serde::Serialize;

use crate::caller::{Caller, soon};
use crate::markdown;

/// The complete status.
#[derive(Debug, Serialize)]
pub(crate) struct Status {
    /// Whether a question would be accepted now.
    pub(crate) ready: bool,
    /// The version of this program.
    pub(crate) version: &'static str,
    /// The daemon's address.
    pub(crate) address: LookedFor,
    /// The token.
    pub(crate) token: LookedFor,
    /// The folder of the daemon's own files.
    pub(crate) state_dir: Option<String>,
    /// Whether the daemon responds.
    pub(crate) daemon: Daemon,
    /// The daemon's own checks; empty if it does not respond.
    pub(crate) checks: Vec<Line>,
    /// What to do first; absent if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// The result of a lookup.
#[derive(Debug, Serialize)]
pub(crate) struct LookedFor {
    /// Whether it was found.
    pub(crate) found: bool,
    /// The value, unless it is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    /// Why it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Daemon {
    /// Whether it responds.
    pub(crate) running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
}

/// One of the daemon's checks.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    /// Such as `codex_found`.
    pub(crate) name: String,
    /// Whether it passed.
    pub(crate) ok: bool,
    /// The result.
    pub(crate) message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl From<Check> for Line {
    fn from(Check { name, ok, message, hint }: Check) -> Self {
        Self { name, ok, message, hint }
    }
}

/// Collects the status and prints it.
pub(crate) async fn run(caller: Caller) -> Exit {
    let status = look(&caller).await;
    caller.form.print(&status, || markdown::status(&status));
    if status.ready { Exit::Done } else { Exit::Bridge }
}

async fn look(caller: &Caller) -> Status {
    let discovery = caller.client.discovery();
    let address = match discovery.address() {
        Ok(found) => LookedFor::found(Some(found.value.to_string()), &found.origin),
        Err(error) => LookedFor::missing(&error),
    };
    let token = match discovery.token() {
        Ok(found) => LookedFor::found(None, &found.origin),
        Err(error) => LookedFor::missing(&error),
    };
    let (version, trouble) = match caller.client.presence(soon()).await {
        Presence::Serving(health) => (Some(health.version), None),
        Presence::Nobody(failure) | Presence::Unusable(failure) => (None, Some(failure)),
    };
    let readiness: Result<Readiness, Failure> = match trouble {
        Some(trouble) => Err(trouble),
        None => caller.client.readiness(soon()).await,
    };
    let (ready, checks, problem) = match readiness {
        Ok(readiness) => (readiness.ready, readiness.checks, None),
        Err(failure) => (false, Vec::new(), Some(failure.error.message)),
    };
    let lacking = || {
        let first = checks.iter().find(|check| !check.ok)?;
        let hint = first.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        Some(format!("{}: {}{hint}", first.name, first.message))
    };
    Status {
        ready,
        version: release::VERSION,
        address,
        token,
        state_dir: discovery.state_dir().map(|path| path.display().to_string()),
        daemon: Daemon { running: version.is_some(), version },
        problem: problem.or_else(lacking),
        checks: checks.into_iter().map(Line::from).collect(),
    }
}

impl LookedFor {
    fn found(value: Option<String>, origin: &client::Origin) -> Self {
        Self { found: true, value, origin: Some(origin.to_string()), message: None }
    }

    fn missing(error: &dyn std::error::Error) -> Self {
        Self { found: false, value: None, origin: None, message: Some(error.to_string()) }
    }
}
