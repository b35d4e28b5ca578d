//! The layer that requires a signed-in browser.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use contract::failure::FailureCode;
use http::header::HOST;

use super::accepted::wants_page;
use super::cookies;
use super::state::Pages;
use crate::config::Secret;
use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::shares::Proof;
use crate::token::Rights;
use crate::window::waits::Known;

/// The session of a request.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) cookie: Secret,
    /// The `Host` that the session is valid for.
    pub(super) host: String,
    /// Its rights.
    pub(super) rights: Rights,
    /// Requests in the court that wait for the user; filled for pages.
    pub(super) waits: Known,
}

/// Requires a session, and adds it to the request's extensions.
pub(super) async fn signed_in(
    State(pages): State<Arc<Pages>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    let user = request.extensions().get::<Proof>().and_then(Proof::other_user);
    let found = cookies::session(request.headers()).and_then(|cookie| {
        let host = only(request.headers(), &HOST)?.to_str().ok()?.to_owned();
        let rights = pages.window.sign_in.visit(cookie.expose(), &host, user)?;
        Some(Session { cookie, host, rights, waits: Known::default() })
    });
    let mut session = found.ok_or_else(|| {
        Rejection::new(
            FailureCode::Unauthorized,
            "sign in: `codex-bridge open` opens this page in a browser",
        )
    })?;
    if let Some(place) = request.extensions().get::<Proof>() {
        place.proven();
    }
    if wants_page(request.headers()) {
        session.waits = pages.waits.look(session.rights).await;
    }
    request.extensions_mut().insert(session);
    Ok(next.run(request).await)
}
