//! The daemon's health: the checks of `/readyz`, repeated every few seconds at most, because a
//! check may have to start Codex; and those checks of `codex-bridge doctor` that concern a running daemon.

use std::time::Duration;

use contract::readiness::Readiness;
use host::ErrorChain;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use window::view::{self, Condition, Health, Level};

use crate::config::{Config, Environment};
use crate::doctor::{self, Finding};
use crate::service::Service;

/// How long a result is reused.
const KEPT_FOR: Duration = Duration::from_secs(10);

/// Maximum wait for a check, which continues in the background.
const PATIENCE: Duration = Duration::from_secs(2);

/// The cached result of the last check.
#[derive(Debug, Default)]
pub struct LastLook(Mutex<Option<(Instant, Readiness)>>);

impl LastLook {
    /// The checks; `None` if they take too long and never ran before.
    async fn readiness(&self, service: &Service) -> Option<Readiness> {
        let mut last = self.0.lock().await;
        if let Some((_, readiness)) = last.as_ref().filter(|(at, _)| at.elapsed() < KEPT_FOR) {
            return Some(readiness.clone());
        }
        let looking = service.clone();
        let looked =
            timeout(PATIENCE, tokio::spawn(async move { looking.readiness().await })).await;
        match looked {
            Ok(Ok(readiness)) => *last = Some((Instant::now(), readiness)),
            Ok(Err(error)) => {
                tracing::warn!(error = %ErrorChain(&error), "the checks could not be made");
            }
            Err(_) => {}
        }
        last.as_ref().map(|(_, readiness)| readiness.clone())
    }

    /// The health in one line.
    pub async fn condition(&self, service: &Service) -> Condition {
        let checks = self.readiness(service).await.map(|it| it.checks).unwrap_or_default();
        let codex = checks.iter().find(|check| check.name == "codex_version" && check.ok);
        let codex = codex.map(|check| check.message.clone());
        let failed = checks.into_iter().filter(|check| !check.ok && check.hint.is_some());
        Condition { failed: failed.map(|check| check.name).collect(), codex }
    }

    /// All checks, the daemon's own before those of its surroundings.
    pub async fn health(
        &self,
        service: &Service,
        surroundings: &Surroundings,
        address: String,
        started_ms: i64,
    ) -> Health {
        let Surroundings { config, environment } = surroundings;
        let (readiness, around) =
            tokio::join!(self.readiness(service), doctor::surroundings(config, environment));
        let own = readiness.map(|it| it.checks).unwrap_or_default();
        let findings = own.into_iter().map(Finding::from).chain(around);
        Health {
            checks: findings.map(shown).collect(),
            version: release::VERSION.to_owned(),
            address,
            started_ms,
        }
    }
}

/// The daemon's configuration and environment.
#[derive(Debug)]
pub struct Surroundings {
    /// Its configuration.
    pub config: Config,
    /// Its environment.
    pub environment: Environment,
}

fn shown(finding: Finding) -> view::Check {
    let level = match finding.level {
        doctor::Level::Ok => Level::Ok,
        doctor::Level::Skip => Level::Skip,
        doctor::Level::Warn => Level::Warn,
        doctor::Level::Fail => Level::Fail,
    };
    view::Check { name: finding.name, level, message: finding.message, mend: finding.mend }
}
