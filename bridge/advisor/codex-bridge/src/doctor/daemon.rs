//! The running daemon: whether it responds, has this version and accepts the token, and its own failed checks.

use std::net::SocketAddr;
use std::time::Duration;

use client::{Client, ConnectOptions, Discovery, Presence};
use contract::failure::Failure;
use contract::readiness::{Check, Readiness};
use host::address;
use host::daemon_process::{DaemonProcess, Liveness};
use host::environment;
use host::token::Rights;
use tokio::time::Instant;

use super::Finding;
use crate::config::{Config, Environment};
use crate::token;

/// Response timeout. Ours takes a millisecond; `/readyz` may have to probe Codex first.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Name of the finding that says which Codex the daemon uses.
pub(super) const CODEX: &str = "daemon_codex";

pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let noted = address::read(&config.state_dir);
    let process = noted.as_deref().and_then(|url| DaemonProcess::read(&config.state_dir, url));
    let is_stale = process.is_some_and(|process| process.liveness() == Liveness::Ended);
    let told = noted.and_then(|url| url.strip_prefix("http://")?.parse::<SocketAddr>().ok());
    if let Some(address) = told.filter(|_| !is_stale)
        && let Presence::Serving(health) = who(address).await
    {
        return running(address, &health.version, config).await;
    }
    // With port 0 there is no fixed address that could be in use.
    let wanted = Some(address::reachable(config.listen)).filter(|address| address.port() != 0);
    let listener = match wanted {
        Some(address) => Some(who(address).await),
        None => None,
    };
    let not_running = |message: String| {
        vec![Finding::warn("daemon", message, "start it with `codex-bridge serve`")]
    };
    match (listener, told) {
        (Some(Presence::Serving(health)), _) => vec![Finding::warn(
            "daemon",
            format!(
                "a codex-bridge {} listens on {}, but with another state folder",
                health.version, config.listen
            ),
            "stop it, or give this one another `listen`",
        )],
        (Some(Presence::Unusable(_)), _) => vec![Finding::fail(
            "daemon",
            format!("another program listens on {}", config.listen),
            format!(
                "stop it (`ss -ltnp 'sport = :{}'` names it) or set `listen`",
                config.listen.port()
            ),
        )],
        (Some(Presence::Nobody(_)) | None, Some(address)) => {
            not_running(format!("it does not run; the last one, on {address}, was killed"))
        }
        (Some(Presence::Nobody(_)) | None, None) => not_running("it does not run".to_owned()),
    }
}

/// Findings from a running daemon.
async fn running(address: SocketAddr, version: &str, config: &Config) -> Vec<Finding> {
    let ours = release::VERSION;
    let mut findings = vec![if version == ours {
        Finding::ok("daemon", format!("{version} answers on http://{address}"))
    } else {
        let message = format!("version {version} runs on http://{address}, this is {ours}");
        Finding::warn("daemon", message, "restart it, or update the older of the two")
    }];
    let Ok(token) = token::load(config, Rights::Advisor) else { return findings };
    let client = client(address, Some(token.expose()));
    match client.readiness(Instant::now() + ANSWER_LIMIT).await {
        Ok(readiness) => {
            findings.extend(lacking(&readiness));
            let codex =
                readiness.checks.iter().find(|check| check.name == "codex_version" && check.ok);
            findings.extend(codex.map(|check| Finding::ok(CODEX, check.message.clone())));
        }
        Err(Failure { error, .. }) if error.message.contains("does not take the token") => {
            findings.push(Finding::fail(
                "daemon_token",
                "the running daemon has another token than this setup",
                "restart it: it keeps the token it was started with",
            ));
        }
        Err(Failure { error, .. }) => findings.push(Finding::warn(
            "daemon_ready",
            format!("it does not say whether it is ready: {}", error.message),
            "look at its log",
        )),
    }
    findings
}

/// The daemon's own failed checks: its environment may differ from ours.
fn lacking(readiness: &Readiness) -> Vec<Finding> {
    // A check that was hidden by an earlier failure has no hint.
    let failed = readiness.checks.iter().filter(|check| !check.ok);
    let finding = |check: &Check| {
        let hint = check.hint.clone()?;
        let message = format!("it says {}: {}", check.name, check.message);
        Some(Finding::fail("daemon_ready", message, hint))
    };
    failed.filter_map(finding).collect()
}

/// Finds out what listens on an address. Sends no token.
async fn who(address: SocketAddr) -> Presence {
    client(address, None).presence(Instant::now() + ANSWER_LIMIT).await
}

fn client(address: SocketAddr, token: Option<&str>) -> Client {
    let url = Environment::from_iter([(environment::URL, format!("http://{address}"))]);
    let known = match token {
        Some(token) => url.with(environment::TOKEN, token),
        None => url,
    };
    Client::new(Discovery::new(known, ConnectOptions::default()))
}
