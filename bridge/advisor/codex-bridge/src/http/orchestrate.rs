//! `POST /orchestrate`: one turn of the user's own Codex, or only its plan.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contract::event::{Event, EventName};
use contract::orchestrate::{Orchestration, parse_orchestrate};
use futures_util::stream;

use crate::http::analyze::{self, ResponseMode};
use crate::http::failure::Rejection;
use crate::http::state::AppState;
use crate::http::{body, scope, sse};
use crate::request::Request;

/// The handler.
pub(super) async fn orchestrate(
    State(app): State<Arc<AppState>>,
    request: axum::extract::Request,
) -> Result<Response, Rejection> {
    let (parts, body) = request.into_parts();
    let input = body::read(&parts.headers, body, &app.bodies, parse_orchestrate)
        .await
        .map_err(|rejection| app.masked(rejection))?;
    match input.orchestration {
        Some(report) if report.is_plan() => {
            // A plan uses neither header, but malformed ones are rejected all the same.
            analyze::idempotency_key(&parts.headers)?;
            scope::workspace(&parts.headers)?;
            let report = app.service.mask_report(report);
            Ok(planned(ResponseMode::of(&parts.headers), &report))
        }
        _ => {
            let request = Request::Orchestrate(Box::new(input));
            analyze::answer(&app, &parts.headers, request).await
        }
    }
}

/// The response to a plan request: no run is made and Codex is not started.
fn planned(mode: ResponseMode, report: &Orchestration) -> Response {
    match mode {
        ResponseMode::Whole | ResponseMode::Later => Json(report).into_response(),
        ResponseMode::Events => {
            let event =
                Event { seq: Some(1), name: EventName::Report, data: report.body().clone() };
            sse::response(stream::iter([event]))
        }
    }
}
