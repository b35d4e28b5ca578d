//! The running daemon: whether it answers, is this version, takes the token, and what it lacks.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bridge_client::address;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Finding;
use crate::config::Config;
use crate::token;

/// Longest wait for an answer. Ours take a millisecond; `/readyz` may look at Codex first.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Longest answer that is read, in bytes.
const ANSWER_MAX_BYTES: u64 = 64 * 1024;

/// Who listens on an address.
enum Listener {
    /// Nobody.
    Nobody,
    /// This program, in this version.
    Bridge(String),
    /// Something else, or something that does not answer like us.
    Stranger,
}

pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let told = address::read(&config.state_dir)
        .and_then(|url| url.strip_prefix("http://")?.parse::<SocketAddr>().ok());
    if let Some(address) = told
        && let Listener::Bridge(version) = who(address).await
    {
        return running(address, &version, config).await;
    }
    // With port 0 there is no address to be taken by anyone.
    let wanted = Some(reachable(config.listen)).filter(|address| address.port() != 0);
    let listener = match wanted {
        Some(address) => who(address).await,
        None => Listener::Nobody,
    };
    let not_running = |message: String| {
        vec![Finding::warn("daemon", message, "start it with `codex-bridge serve`")]
    };
    match (listener, told) {
        (Listener::Bridge(version), _) => vec![Finding::warn(
            "daemon",
            format!(
                "a codex-bridge {version} listens on {}, but with another state folder",
                config.listen
            ),
            "stop it, or give this one another `listen`",
        )],
        (Listener::Stranger, _) => vec![Finding::fail(
            "daemon",
            format!("another program listens on {}", config.listen),
            format!(
                "stop it (`ss -ltnp 'sport = :{}'` names it) or set `listen`",
                config.listen.port()
            ),
        )],
        (Listener::Nobody, Some(address)) => {
            not_running(format!("it does not run; the last one, on {address}, was killed"))
        }
        (Listener::Nobody, None) => not_running("it does not run".to_owned()),
    }
}

/// What a running daemon says of itself.
async fn running(address: SocketAddr, version: &str, config: &Config) -> Vec<Finding> {
    let ours = env!("CARGO_PKG_VERSION");
    let mut findings = vec![if version == ours {
        Finding::ok("daemon", format!("{version} answers on http://{address}"))
    } else {
        let message = format!("version {version} runs on http://{address}, this is {ours}");
        Finding::warn("daemon", message, "restart it")
    }];
    let Ok(token) = token::load(config) else { return findings };
    match get(address, "/readyz", Some(token.expose())).await {
        Ok((401, _)) => findings.push(Finding::fail(
            "daemon_token",
            "the running daemon has another token than this set-up",
            "restart it: it keeps the token it was started with",
        )),
        Ok((_, answer)) => findings.extend(lacking(&answer)),
        Err(error) => findings.push(Finding::warn(
            "daemon_ready",
            format!("it does not say whether it is ready: {error}"),
            "look at its log",
        )),
    }
    findings
}

/// The daemon's own failed checks: it may have another environment than the one asked from.
fn lacking(answer: &Json) -> Vec<Finding> {
    let checks = answer["checks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    // What a failure before it hides has no hint.
    let failed = checks.iter().filter(|check| check["ok"] == false && check["hint"].is_string());
    let finding = |check: &Json| {
        let message = format!("it says {}: {}", text(&check["name"]), text(&check["message"]));
        Finding::fail("daemon_ready", message, text(&check["hint"]))
    };
    failed.map(finding).collect()
}

async fn who(address: SocketAddr) -> Listener {
    match get(address, "/healthz", None).await {
        Ok((200, answer)) if answer["status"] == "ok" && answer["version"].is_string() => {
            Listener::Bridge(answer["version"].as_str().unwrap_or_default().to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Listener::Nobody,
        Ok(_) | Err(_) => Listener::Stranger,
    }
}

/// The address as a caller on this machine writes it.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        ip if !ip.is_unspecified() => listen,
        IpAddr::V4(_) => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        IpAddr::V6(_) => (Ipv6Addr::LOCALHOST, listen.port()).into(),
    }
}

/// One request within [`ANSWER_LIMIT`]: its status, and its body where that is JSON.
async fn get(address: SocketAddr, path: &str, token: Option<&str>) -> io::Result<(u16, Json)> {
    tokio::time::timeout(ANSWER_LIMIT, exchange(address, path, token)).await?
}

async fn exchange(address: SocketAddr, path: &str, token: Option<&str>) -> io::Result<(u16, Json)> {
    let mut stream = TcpStream::connect(address).await?;
    let authorization =
        token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\n{authorization}connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_MAX_BYTES).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let status = status.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok((status, serde_json::from_str(body).unwrap_or_default()))
}
