//! `GET` and `POST /enter`, and `POST /leave`: exchanges a link for a session, and ends a session.
//!
//! `GET /enter` changes nothing, so that link previews do not use up a link. `POST /enter` takes
//! the code from our own form, so that no foreign page can sign a browser in.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use http::StatusCode;
use http::header::{HOST, HeaderMap, LOCATION, SET_COOKIE};
use window::view::{Enter, Left, Refusal};

use super::cookies;
use super::form::Form;
use super::session::Session;
use super::state::Pages;
use super::visitor::Visitor;
use crate::config::Secret;
use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::query;
use crate::http::shares::Proof;
use crate::window::sign_in::is_secret;

/// Path of a link.
const PATH: &str = "/enter";

/// Path that ends a session.
const LEAVE: &str = "/leave";

pub(super) async fn ask(
    State(pages): State<Arc<Pages>>,
    Extension(visitor): Extension<Visitor>,
    RawQuery(query): RawQuery,
) -> Response {
    let pairs = query.as_deref().and_then(query::pairs).unwrap_or_default();
    let code = pairs.into_iter().find(|(name, _)| name == "code").map(|(_, code)| code);
    let Some(code) = code.filter(|code| is_secret(code)) else { return no_code() };
    let secret = Secret::new(code.clone());
    visitor.guest_page(&pages, &secret, |frame| Enter { code }.html(frame))
}

pub(super) async fn enter(
    State(pages): State<Arc<Pages>>,
    proof: Option<Extension<Proof>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Rejection> {
    let form = Form::read(&headers, body).await?;
    let sign_in = &pages.window.sign_in;
    let code = form.field("code").unwrap_or_default();
    form.check_token(sign_in, &Secret::new(code.to_owned()), PATH)?;
    let host = only(&headers, &HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let user = proof.and_then(|Extension(proof)| proof.other_user());
    let entered = sign_in.enter(code, host, user).map_err(|error| no_randomness(&error))?;
    let Some(cookie) = entered else { return Ok(no_code()) };
    tracing::info!("a browser has signed in");
    let headers = [(SET_COOKIE, cookies::begin(&cookie)), (LOCATION, "/".parse().expect("a path"))];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

pub(super) async fn leave(
    State(pages): State<Arc<Pages>>,
    Extension(session): Extension<Session>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Rejection> {
    let form = Form::read(&headers, body).await?;
    form.check_token(&pages.window.sign_in, &session.cookie, LEAVE)?;
    pages.window.sign_in.leave(session.cookie.expose());
    let mut response = visitor.guest_page(&pages, &session.cookie, |frame| Left.html(frame));
    response.headers_mut().append(SET_COOKIE, cookies::end());
    Ok(response)
}

/// The response to a bad code: the same for a used, an expired and an unknown one.
fn no_code() -> Response {
    let message = "the link was used, is older than a minute, or is not whole; `codex-bridge open` \
                   makes another";
    let mut response = Rejection::new(FailureCode::Forbidden, message).into_response();
    response.extensions_mut().insert(Refusal::Code);
    response
}

pub(super) fn no_randomness(error: &std::io::Error) -> Rejection {
    Rejection::new(FailureCode::Internal, format!("the system has no randomness: {error}"))
}
