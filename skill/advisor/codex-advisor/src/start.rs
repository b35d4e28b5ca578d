//! `--start`: starts a daemon if none is running. It continues when this command ends.

use std::ffi::OsString;

use client::address::Address;
use client::launch::{Launch, failed};
use client::{Discovery, Origin, Presence};
use contract::failure::Failure;
use host::{state_dir, streams};
use tokio::time::Instant;

use crate::caller::Caller;

/// Starts the daemon if none responds, and waits until it does.
///
/// # Errors
/// `bridge_unreachable`, with the end of the daemon's log if there is one.
///
/// # Cancel safety
/// If the future is dropped, a started daemon continues.
pub(crate) async fn ensure(caller: &Caller, deadline: Instant) -> Result<(), Failure> {
    match caller.client.presence(deadline).await {
        Presence::Serving(_) => return Ok(()),
        Presence::Unusable(failure) => return Err(failure),
        Presence::Nobody(_) => {}
    }
    let discovery = caller.client.discovery();
    let state = discovery.state_dir().ok_or_else(no_state_dir)?;
    let args = [OsString::from("--detached")].into_iter().chain(place(discovery));
    let launch = Launch::new(&caller.environment, &state, &state_dir::log(&state), args)?;
    let mut daemon = launch.detached(&state)?;
    streams::note(&format!(
        "started {} (process {}); its log is {}",
        daemon.program.display(),
        daemon.process.pid(),
        daemon.log.display()
    ));
    daemon.answered(|| Some(caller.client.clone()), deadline).await.map(drop)
}

fn no_state_dir() -> Failure {
    failed("there is no state folder for it: HOME and CODEX_BRIDGE_STATE_DIR are not set")
}

/// The address, if the caller names one; a stale address file does not count.
fn place(discovery: &Discovery) -> Vec<OsString> {
    match discovery.address() {
        Ok(found) if matches!(found.origin, Origin::Variable(_)) => match found.value {
            Address::Unix(path) => vec!["--socket".into(), path.into()],
            Address::Tcp { host, port } => {
                let host = if host == "localhost" { "127.0.0.1".to_owned() } else { host };
                let host = if host.contains(':') { format!("[{host}]") } else { host };
                vec!["--listen".into(), format!("{host}:{port}").into()]
            }
        },
        Ok(_) | Err(_) => Vec::new(),
    }
}
