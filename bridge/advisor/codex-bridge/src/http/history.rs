//! `GET /runs`, `/runs/{id}`, `/runs/{id}/events`, `/sessions/{id}` and `DELETE /runs/{id}`.
//!
//! A turn of the user's own Codex is shown only to callers who may run one: its answer contains what that Codex read.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use axum::{Extension, Json};
use contract::failure::FailureCode;
use contract::id::RunId;
use contract::run::{RunKind, RunPage, RunRecord, RunSummary, SessionRecord};
use futures_util::StreamExt;
use http::header::{HeaderMap, HeaderName};

use crate::http::access::{only, too_few_rights};
use crate::http::analyze::header_violation;
use crate::http::failure::Rejection;
use crate::http::state::AppState;
use crate::http::{query, scope, sse};
use crate::request::RunFilter;
use crate::token::Rights;

/// The position after which a client's replay continues (WHATWG HTML, server-sent events).
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) async fn runs(
    State(app): State<Arc<AppState>>,
    Extension(rights): Extension<Rights>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Json<RunPage>, Rejection> {
    let workspace = scope::workspace(&headers)?;
    let filter = query::filter(query.as_deref()).map_err(|rejection| app.masked(rejection))?;
    // The filter is part of the store's query, so that a page is full for every caller.
    let kind = (rights != Rights::Orchestrate).then_some(RunKind::Analyze);
    Ok(Json(app.service.runs(RunFilter { workspace, kind, ..filter }).await?))
}

pub(super) async fn run(
    State(app): State<Arc<AppState>>,
    Extension(rights): Extension<Rights>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Json<RunRecord>, Rejection> {
    let id = run_id(&id)?;
    app.service.check_scope(id, scope::workspace(&headers)?).await?;
    let wait = query::wait(query.as_deref()).map_err(|rejection| app.masked(rejection))?;
    let record = shown(&app, id, rights).await?;
    if record.run.state.is_terminal() || wait.is_zero() {
        return Ok(Json(record));
    }
    let _waiting = app.wait_permit()?;
    app.service.wait(id, Some(wait)).await?;
    Ok(Json(app.service.run(id).await?))
}

pub(super) async fn cancel(
    State(app): State<Arc<AppState>>,
    Extension(rights): Extension<Rights>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<RunSummary>, Rejection> {
    let id = run_id(&id)?;
    app.service.check_scope(id, scope::workspace(&headers)?).await?;
    shown(&app, id, rights).await?;
    Ok(Json(app.service.cancel(id).await?))
}

pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    Extension(rights): Extension<Rights>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Rejection> {
    let id = run_id(&id)?;
    let after = last_event_id(&headers)?;
    app.service.check_scope(id, scope::workspace(&headers)?).await?;
    shown(&app, id, rights).await?;
    let waiting = app.wait_permit()?;
    let events = app.service.events(id, after).await?;
    Ok(sse::response(events.inspect(move |_| {
        let _ = &waiting;
    })))
}

pub(super) async fn session(
    State(app): State<Arc<AppState>>,
    Extension(rights): Extension<Rights>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<SessionRecord>, Rejection> {
    let id = parse(&id, FailureCode::UnknownSession, "session")?;
    let workspace = scope::workspace(&headers)?;
    let session = app.service.session(id, workspace.as_ref()).await?;
    if session.runs.iter().any(|run| !may_see(rights, run.kind)) {
        return Err(too_few_rights());
    }
    Ok(Json(session))
}

fn may_see(rights: Rights, kind: RunKind) -> bool {
    kind == RunKind::Analyze || rights == Rights::Orchestrate
}

/// The run, if the caller may see it.
async fn shown(app: &AppState, id: RunId, rights: Rights) -> Result<RunRecord, Rejection> {
    let record = app.service.run(id).await?;
    if may_see(rights, record.run.kind) { Ok(record) } else { Err(too_few_rights()) }
}

fn run_id(text: &str) -> Result<RunId, Rejection> {
    parse(text, FailureCode::NotFound, "run")
}

/// Parses an id; a malformed one is reported as unknown.
pub(super) fn parse<I: FromStr>(text: &str, code: FailureCode, what: &str) -> Result<I, Rejection> {
    text.parse().map_err(|_| Rejection::new(code, format!("no such {what}: its id is a UUID")))
}

fn last_event_id(headers: &HeaderMap) -> Result<u64, Rejection> {
    if !headers.contains_key(LAST_EVENT_ID) {
        return Ok(0);
    }
    only(headers, &LAST_EVENT_ID)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| {
            header_violation(
                "/header/last-event-id",
                "expected the id of an event of this run, a whole number",
                "leave the header out to replay from the start",
            )
        })
}
