//! The court's projects, and the form by which the user approves or refuses requests in them. The cookie gives
//! access to the page; only the passphrase authorises a decision.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use http::header::{HeaderMap, LOCATION};
use http::{HeaderValue, StatusCode};

use super::form::Form;
use super::session::Session;
use super::state::Pages;
use super::visitor::Visitor;
use crate::http::failure::Rejection;
use crate::window::court::{Decision, Shown};

type Shared = State<Arc<Pages>>;
type Signed = Extension<Session>;
type Asking = Extension<Visitor>;

pub(super) async fn list(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
) -> Response {
    let view = pages.court.list(session.rights).await;
    visitor.page(&pages, &session, |frame| view.html(frame))
}

pub(super) async fn one(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    Path(key): Path<String>,
) -> Result<Response, Rejection> {
    let view = pages.court.one(&key, session.rights).await?;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

/// Has the court decide, and shows the project again, with the reason if nothing was decided.
pub(super) async fn decide(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    Path((key, id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Rejection> {
    let mut form = Form::read(&headers, body).await?;
    let passphrase = form.take_secret("passphrase");
    let place = format!("/window/projects/{key}");
    let path = format!("{place}/requests/{id}");
    form.check_token(&pages.window.sign_in, &session.cookie, &path)?;
    let decision = match form.field("act") {
        Some("approve") => Decision::Approve,
        Some("refuse") => Decision::Refuse,
        _ => {
            let message = "`act` is approve or refuse";
            return Err(Rejection::new(FailureCode::ContractViolation, message));
        }
    };
    let digest = form.field("digest").unwrap_or_default();
    let shown = Shown { key: &key, id: &id, digest };
    let undone = pages.court.decide(shown, decision, passphrase, session.rights).await?;
    pages.waits.forget();
    let Some(view) = undone else {
        let place = HeaderValue::from_str(&place).expect("a key is ASCII");
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, place)]).into_response());
    };
    let visitor = visitor.at(place);
    let page = visitor.page(&pages, &session, |frame| view.html(frame));
    Ok((StatusCode::FORBIDDEN, page).into_response())
}
