//! `POST` and `DELETE /window/links`: a program with a token creates a sign-in link for a browser,
//! or revokes all links and sessions.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use contract::window::{WindowLink, WindowsClosed};
use host::address::reachable;
use http::header::{HOST, HeaderMap};
use http::uri::Authority;

use super::enter::no_randomness;
use super::state::{Pages, Window};
use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::shares::Proof;
use crate::token::Rights;
use crate::window::sign_in::LINK_TTL;

pub(super) async fn open(
    State(pages): State<Arc<Pages>>,
    Extension(rights): Extension<Rights>,
    proof: Option<Extension<Proof>>,
    headers: HeaderMap,
) -> Result<Json<WindowLink>, Rejection> {
    let window = &pages.window;
    let user = proof.and_then(|Extension(proof)| proof.other_user());
    let code = window.sign_in.open_link(rights, user).map_err(|error| no_randomness(&error))?;
    let link = |host: &str| format!("http://{host}/enter?code={}", code.expose());
    let mut reached = reachable(window.address);
    reached.set_port(port(&headers).unwrap_or(reached.port()));
    let address = link(&reached.to_string());
    let url = match name(window) {
        Some(name) => link(&format!("{name}:{}", reached.port())),
        None => address.clone(),
    };
    let expires_in_ms = u64::try_from(LINK_TTL.as_millis()).unwrap_or(u64::MAX);
    Ok(Json(WindowLink { url, address, expires_in_ms }))
}

pub(super) async fn revoke(State(pages): State<Arc<Pages>>) -> Json<WindowsClosed> {
    let closed = pages.window.sign_in.revoke();
    tracing::info!(sessions = closed, "every browser is signed out");
    Json(WindowsClosed { closed: u64::try_from(closed).unwrap_or(u64::MAX) })
}

/// The pages' host name, if it resolves to the daemon's address: browsers resolve every `.localhost` name to the
/// usual loopback addresses only.
fn name(window: &Window) -> Option<&str> {
    let ip = window.address.ip();
    let usual = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    (ip.is_unspecified() || usual.contains(&ip)).then(|| window.name.as_str())
}

/// The port by which the caller reaches the daemon; it may be that of a tunnel.
fn port(headers: &HeaderMap) -> Option<u16> {
    let host = only(headers, &HOST)?.to_str().ok()?;
    host.parse::<Authority>().ok()?.port_u16()
}
