//! `codex-bridge doctor`: checks all of a user's possible set-up mistakes and says how to fix each.
//!
//! Every check has a time limit: a file system, a Codex or a port that does not respond becomes a finding.
//! Nothing is repaired; only the state folder is created, as the first start would do.

mod daemon;
mod host;
mod report;
mod state;
mod versions;

use std::future::Future;
use std::time::Duration;

use supervise::{Guard, Isolation};

use crate::checks;
use crate::codex::Codex;
use crate::config::{Config, Environment, Fault, Faults, Flags, Resolved, resolve};
use crate::{claude_settings, state_dir};
pub use report::{Finding, Level, Report};

/// Time limit for files, limits and ports: three requests of at most 3 s.
const QUICK: Duration = Duration::from_secs(10);

/// Time limit for Codex: four short processes, each limited to 10 s, on a busy machine.
const THOROUGH: Duration = Duration::from_secs(45);

/// Runs all checks.
///
/// # Cancel safety
/// Dropping the future ends the processes it started.
pub async fn examine(flags: &Flags, environment: &Environment) -> Report {
    let resolved = match resolve(flags, environment) {
        Ok(resolved) => resolved,
        Err(faults) => {
            let mut findings = faulty(&faults);
            findings.extend(bounded("host", QUICK, async { host::examine() }).await);
            return Report { findings };
        }
    };
    let config = &resolved.config;
    let mut findings = settled(&resolved);
    let folder = config.clone();
    findings.extend(bounded("state", QUICK, blocking(move || state::examine(&folder))).await);
    let settings = claude_settings::path(environment).ok();
    let (codex, isolation, daemon, host, versions) = tokio::join!(
        bounded("codex", THOROUGH, codex(config, environment)),
        bounded("isolation", THOROUGH, isolation()),
        bounded("daemon", QUICK, daemon::examine(config)),
        bounded("host", QUICK, async { host::examine() }),
        bounded("versions", THOROUGH, blocking(move || versions::examine(settings.as_deref()))),
    );
    let another_codex = versions::another_codex(&codex, &daemon);
    findings.extend(codex.into_iter().chain(isolation).chain(daemon).chain(another_codex));
    findings.extend(versions.into_iter().chain(host));
    findings.extend(host::supervision(config, environment));
    Report { findings }
}

/// Checks the surroundings of a running daemon: its state folder, this machine, the programs beside it.
/// Codex is excluded, because the daemon checks it itself.
///
/// # Cancel safety
/// Dropping the future ends the processes it started.
pub async fn surroundings(config: &Config, environment: &Environment) -> Vec<Finding> {
    let folder = config.clone();
    let settings = claude_settings::path(environment).ok();
    let (state, isolation, host, versions) = tokio::join!(
        bounded("state", QUICK, blocking(move || state::examine(&folder))),
        bounded("isolation", QUICK, isolation()),
        bounded("host", QUICK, async { host::examine() }),
        bounded("versions", QUICK, blocking(move || versions::examine(settings.as_deref()))),
    );
    let supervision = host::supervision(config, environment);
    state.into_iter().chain(isolation).chain(host).chain(supervision).chain(versions).collect()
}

/// The findings of `look`, or a finding that it timed out.
async fn bounded(
    name: &'static str,
    limit: Duration,
    look: impl Future<Output = Vec<Finding>>,
) -> Vec<Finding> {
    match tokio::time::timeout(limit, look).await {
        Ok(findings) => findings,
        Err(_) => {
            let message = format!("no answer within {} s", limit.as_secs());
            vec![Finding::fail(name, message, "look at the load of this machine and its disks")]
        }
    }
}

/// Runs a check of files on its own thread: a network file system may never respond.
async fn blocking(look: impl FnOnce() -> Vec<Finding> + Send + 'static) -> Vec<Finding> {
    tokio::task::spawn_blocking(look).await.unwrap_or_else(|error| {
        vec![Finding::fail("state", error.to_string(), "report this: it is a fault of ours")]
    })
}

fn faulty(faults: &Faults) -> Vec<Finding> {
    let finding = |fault: &Fault| {
        let value = fault.value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
        let message = format!("{}{value} ({}): {}", fault.key, fault.source, fault.problem);
        Finding::fail("configuration", message, &fault.mend)
    };
    faults.0.iter().map(finding).collect()
}

fn settled(resolved: &Resolved) -> Vec<Finding> {
    let from = match &resolved.file {
        Some(file) => format!("{} is in order", file.display()),
        None => "in order; there is no file, so the defaults count".to_owned(),
    };
    let warning = |warning: &String| {
        Finding::warn(
            "configuration",
            warning.clone(),
            "`codex-bridge config` shows what is in force",
        )
    };
    let warnings = resolved.warnings.iter().map(warning);
    std::iter::once(Finding::ok("configuration", from)).chain(warnings).collect()
}

/// Checks Codex, as `/readyz` does, and reports the features that its version lacks.
async fn codex(config: &Config, environment: &Environment) -> Vec<Finding> {
    if state_dir::check(&config.state_dir).is_err() {
        let mend = "mend the state folder first: Codex's private home lies in it";
        return vec![Finding::fail("codex", "not looked at", mend)];
    }
    let guard = match Guard::current_exe() {
        Ok(guard) => guard,
        Err(error) => {
            let message = format!("our own executable cannot be found: {error}");
            return vec![Finding::fail("codex", message, "mount /proc")];
        }
    };
    let codex = Codex::new(config, guard, environment);
    let checks = checks::codex(&codex, config.codex.shell).await;
    let mut findings: Vec<Finding> = checks.into_iter().map(Finding::from).collect();
    if let Ok(ready) = codex.ready().await
        && !ready.version.supports_fork()
    {
        findings.push(Finding::warn(
            "codex_fork",
            format!("codex {} cannot fork a conversation, so round 2 resumes it", ready.version),
            "update it with `npm install -g @openai/codex`",
        ));
    }
    findings
}

/// Checks how runs are isolated on this machine.
async fn isolation() -> Vec<Finding> {
    let Ok(guard) = Guard::current_exe() else { return Vec::new() };
    vec![match guard.isolation().await {
        Isolation::PidNamespace => {
            Finding::ok("isolation", "each run has a PID namespace: nothing outlives it")
        }
        Isolation::Subreaper => Finding::warn(
            "isolation",
            "user namespaces are refused: runs are cleaned up by a sub-reaper, which can be killed",
            "set kernel.unprivileged_userns_clone=1, or on Ubuntu \
             kernel.apparmor_restrict_unprivileged_userns=0; in Docker use another seccomp profile",
        ),
    }]
}
