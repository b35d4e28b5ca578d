//! `POST /analyze`: one question, answered in one of three response modes. `POST /orchestrate` uses the
//! same modes.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contract::failure::{Failure, FailureCode, Violation};
use contract::id::RunId;
use contract::input::parse_input;
use contract::key::IdempotencyKey;
use contract::outcome::Outcome;
use contract::run::Accepted;
use futures_util::StreamExt;
use http::header::{ACCEPT, CONTENT_LOCATION, HeaderMap, HeaderName, LOCATION};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::state::AppState;
use crate::http::{body, scope, sse};
use crate::request::{AckMode, Request};
use crate::service::Settled;

/// RFC 7240.
const PREFER: HeaderName = HeaderName::from_static("prefer");
/// RFC 7240.
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// draft-ietf-httpapi-idempotency-key-header.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// How the caller wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseMode {
    /// One JSON document at the end.
    Whole,
    /// A stream of events.
    Events,
    /// Accepted at once; the result is fetched later.
    Later,
}

/// The handler.
pub(super) async fn analyze(
    State(app): State<Arc<AppState>>,
    request: axum::extract::Request,
) -> Result<Response, Rejection> {
    let (parts, body) = request.into_parts();
    let input = body::read(&parts.headers, body, &app.bodies, parse_input)
        .await
        .map_err(|rejection| app.masked(rejection))?;
    answer(&app, &parts.headers, Request::Analyze(Box::new(input))).await
}

/// Submits the request as a run and answers in the mode that its headers select.
pub(super) async fn answer(
    app: &AppState,
    headers: &HeaderMap,
    request: Request,
) -> Result<Response, Rejection> {
    let key = idempotency_key(headers)?;
    let workspace = scope::workspace(headers)?;
    // Hash of the parsed request: the order of keys and the indentation do not count.
    let hash = Sha256::digest(request.to_json()).into();
    match ResponseMode::of(headers) {
        ResponseMode::Later => {
            let accepted =
                app.service.submit(request, hash, key, AckMode::AtOnce, workspace).await?;
            app.attachments.keep(accepted.run_id);
            Ok(later(accepted))
        }
        ResponseMode::Whole => {
            let _waiting = app.wait_permit()?;
            let accepted =
                app.service.submit(request, hash, key, AckMode::AtEnd, workspace).await?;
            whole(app, accepted.run_id).await
        }
        ResponseMode::Events => {
            let waiting = app.wait_permit()?;
            let accepted =
                app.service.submit(request, hash, key, AckMode::AtOnce, workspace).await?;
            events(app, accepted.run_id, waiting).await
        }
    }
}

fn later(accepted: Accepted) -> Response {
    let location = run_path(accepted.run_id);
    let mut response = (StatusCode::ACCEPTED, Json(accepted)).into_response();
    response.headers_mut().insert(LOCATION, location);
    let applied = HeaderValue::from_static("respond-async");
    response.headers_mut().insert(PREFERENCE_APPLIED, applied);
    response
}

async fn whole(app: &AppState, run: RunId) -> Result<Response, Rejection> {
    let mut attached = app.attachments.attach(run);
    let outcome = match app.service.wait(run, None).await? {
        Settled::Done(outcome) => outcome,
        Settled::Pending(_) => {
            return Err(Rejection::new(
                FailureCode::Internal,
                "the wait for the run ended before the run did",
            ));
        }
    };
    attached.release();
    let mut response = match outcome {
        Outcome::Advice(report) => Json(report).into_response(),
        Outcome::Turn(report) => Json(report).into_response(),
        Outcome::Failure(failure) => Rejection::from(failure).into_response(),
    };
    response.headers_mut().insert(CONTENT_LOCATION, run_path(run));
    Ok(response)
}

async fn events(
    app: &AppState,
    run: RunId,
    waiting: OwnedSemaphorePermit,
) -> Result<Response, Rejection> {
    let mut attached = app.attachments.attach(run);
    let events = app.service.events(run, 0).await?;
    // The stream owns both: closing it early cancels the run.
    let tied = events.inspect(move |event| {
        let _ = &waiting;
        if event.name.is_last() {
            attached.release();
        }
    });
    let mut response = sse::response(tied);
    response.headers_mut().insert(CONTENT_LOCATION, run_path(run));
    Ok(response)
}

fn run_path(run: RunId) -> HeaderValue {
    HeaderValue::from_str(&format!("/runs/{run}")).expect("a run id is ASCII")
}

impl ResponseMode {
    /// `respond-async` takes precedence over the accepted media type.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lists = |name: &HeaderName, wanted: &str| {
            headers
                .get_all(name)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .map(|element| element.split(';').next().unwrap_or_default().trim())
                .any(|element| element.eq_ignore_ascii_case(wanted))
        };
        if lists(&PREFER, "respond-async") {
            Self::Later
        } else if lists(&ACCEPT, "text/event-stream") && !lists(&ACCEPT, "application/json") {
            Self::Events
        } else {
            Self::Whole
        }
    }
}

/// The caller's idempotency key; `None` if the header is absent.
///
/// # Errors
/// The header is malformed.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Rejection> {
    if !headers.contains_key(IDEMPOTENCY_KEY) {
        return Ok(None);
    }
    let key = only(headers, &IDEMPOTENCY_KEY)
        .and_then(|value| value.to_str().ok())
        .and_then(IdempotencyKey::parse);
    match key {
        Some(key) => Ok(Some(key)),
        None => Err(header_violation(
            "/header/idempotency-key",
            "expected one key of 1 to 255 visible ASCII characters",
            "a UUID is a good key",
        )),
    }
}

/// A fault in a header, reported as a contract violation.
pub(super) fn header_violation(path: &str, message: &str, hint: &str) -> Rejection {
    let violation = Violation {
        path: path.to_owned(),
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
    };
    Failure::new(FailureCode::ContractViolation, "a header of the request breaks the contract")
        .with_details(vec![violation])
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manner_follows_prefer_then_accept() {
        let check = |pairs: &[(HeaderName, &'static str)], expected: ResponseMode| {
            let headers: HeaderMap = pairs
                .iter()
                .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(ResponseMode::of(&headers), expected, "{pairs:?}");
        };
        check(&[], ResponseMode::Whole);
        check(&[(ACCEPT, "*/*")], ResponseMode::Whole);
        check(&[(ACCEPT, "application/json, text/event-stream")], ResponseMode::Whole);
        check(&[(ACCEPT, "text/event-stream")], ResponseMode::Events);
        check(&[(ACCEPT, "Text/Event-Stream; q=0.9, */*;q=0.1")], ResponseMode::Events);
        check(&[(PREFER, "wait=10, respond-async")], ResponseMode::Later);
        check(&[(PREFER, "Respond-Async"), (ACCEPT, "text/event-stream")], ResponseMode::Later);
        check(&[(PREFER, "respond-asynchronously")], ResponseMode::Whole);
    }
}
