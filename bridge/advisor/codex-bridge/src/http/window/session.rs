//! The layer of what only a signed-in browser gets.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use contract::failure::FailureCode;
use http::header::HOST;

use super::cookies;
use super::state::Pages;
use crate::config::Secret;
use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::shares::Proof;
use crate::token::Rights;

/// The session of a request.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) cookie: Secret,
    /// The `Host` that it is good for.
    pub(super) host: String,
    /// What it may see.
    pub(super) rights: Rights,
}

/// Lets through what has a session, and hands it on.
pub(super) async fn signed_in(
    State(pages): State<Arc<Pages>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    let found = cookies::session(request.headers()).and_then(|cookie| {
        let host = only(request.headers(), &HOST)?.to_str().ok()?.to_owned();
        let rights = pages.window.sign_in.visit(cookie.expose(), &host)?;
        Some(Session { cookie, host, rights })
    });
    let session = found.ok_or_else(|| {
        Rejection::new(
            FailureCode::Unauthorized,
            "sign in: `codex-bridge open` opens this page in a browser",
        )
    })?;
    if let Some(place) = request.extensions().get::<Proof>() {
        place.proven();
    }
    request.extensions_mut().insert(session);
    Ok(next.run(request).await)
}
