//! The pages, each limited to the rights of its session, and the cancellation of a run.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use contract::id::RunId;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, LOCATION};
use http::{HeaderValue, StatusCode};
use jiff::Timestamp;
use window::view::{Filter, Usage};

use super::form::Form;
use super::session::Session;
use super::state::Pages;
use super::visitor::Visitor;
use crate::http::failure::Rejection;
use crate::http::history::parse;
use crate::http::query;
use crate::window::{context, history, now, one, usage};

type Shared = State<Arc<Pages>>;
type Signed = Extension<Session>;
type Asking = Extension<Visitor>;

/// The name of a file contains a hash of its content, so it may be cached for a year.
const FOR_EVER: HeaderValue = HeaderValue::from_static("max-age=31536000, immutable");

pub(super) async fn now(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
) -> Result<Response, Rejection> {
    let mut view = now::gather(&pages.app.service, &pages.last_look, session.rights).await?;
    view.version += session.waits.version;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

pub(super) async fn runs(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let filter = Filter::read(query.as_deref().unwrap_or_default());
    let view = history::gather(&pages.app.service, filter, session.rights).await?;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

pub(super) async fn run(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    Path(id): Path<String>,
) -> Result<Response, Rejection> {
    let id = parse(&id, FailureCode::NotFound, "run")?;
    let mut view = one::run(&pages.app.service, id, session.rights).await?;
    view.version += session.waits.version;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

pub(super) async fn session(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    Path(id): Path<String>,
) -> Result<Response, Rejection> {
    let id = parse(&id, FailureCode::UnknownSession, "session")?;
    let view = one::session(&pages.app.service, id, session.rights).await?;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

pub(super) async fn usage(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let days = days(query.as_deref().unwrap_or_default());
    let (service, prices) = (&pages.app.service, &pages.window.surroundings.config.window.prices);
    let view = usage::gather(service, prices, days, Timestamp::now(), session.rights).await?;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

/// The number of days in the query, if it is one of the offered choices.
fn days(query: &str) -> u16 {
    let pairs = query::pairs(query).unwrap_or_default();
    let named =
        pairs.iter().find(|(name, _)| name == "days").and_then(|(_, days)| days.parse().ok());
    named.filter(|days| Usage::DAYS.contains(days)).unwrap_or(Usage::DAYS[1])
}

pub(super) async fn context(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let pairs = query::pairs(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let chosen = pairs.into_iter().find(|(name, _)| name == "prompt").map(|(_, id)| id);
    let state_dir = pages.window.surroundings.config.state_dir.clone();
    let view = context::gather(state_dir, chosen, session.rights).await?;
    Ok(visitor.page(&pages, &session, |frame| view.html(frame)))
}

pub(super) async fn health(
    State(pages): Shared,
    Extension(session): Signed,
    Extension(visitor): Asking,
) -> Response {
    let address = pages.window.address.to_string();
    let (service, surroundings) = (&pages.app.service, &pages.window.surroundings);
    let view = pages.last_look.health(service, surroundings, address, pages.started_ms).await;
    visitor.page(&pages, &session, |frame| view.html(frame))
}

/// Cancels a run, and shows it after all its processes have ended.
pub(super) async fn cancel(
    State(pages): Shared,
    Extension(session): Signed,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Rejection> {
    let id: RunId = parse(&id, FailureCode::NotFound, "run")?;
    let form = Form::read(&headers, body).await?;
    let place = format!("/window/runs/{id}");
    form.check_token(&pages.window.sign_in, &session.cookie, &format!("{place}/cancel"))?;
    one::check(&pages.app.service, id, session.rights).await?;
    pages.app.service.cancel(id).await?;
    let place = HeaderValue::from_str(&place).expect("an id is ASCII");
    Ok((StatusCode::SEE_OTHER, [(LOCATION, place)]).into_response())
}

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Rejection> {
    let asset = window::asset(&name)
        .ok_or_else(|| Rejection::new(FailureCode::NotFound, "no such file of the pages"))?;
    let headers =
        [(CONTENT_TYPE, HeaderValue::from_static(asset.content_type)), (CACHE_CONTROL, FOR_EVER)];
    Ok((headers, asset.bytes).into_response())
}
