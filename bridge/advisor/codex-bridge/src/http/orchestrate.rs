//! `POST /orchestrate`: one turn of the user's own Codex, or the plan of one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contract::event::{Event, EventName};
use contract::orchestrate::{Orchestration, parse_orchestrate};
use futures_util::stream;

use crate::http::analyze::{self, Manner};
use crate::http::failure::Rejection;
use crate::http::{Surface, body, scope, sse};
use crate::request::Request;

/// The handler.
pub(super) async fn orchestrate(
    State(surface): State<Arc<Surface>>,
    request: axum::extract::Request,
) -> Result<Response, Rejection> {
    let (parts, body) = request.into_parts();
    let input = body::read(&parts.headers, body, &surface.bodies, parse_orchestrate)
        .await
        .map_err(|rejection| surface.masked(rejection))?;
    match input.orchestration {
        Some(report) if report.is_plan() => {
            // A plan needs neither, and a header that is wrong is wrong for it too.
            analyze::idempotency_key(&parts.headers)?;
            scope::workspace(&parts.headers)?;
            let report = surface.service.mask_report(report);
            Ok(planned(Manner::of(&parts.headers), &report))
        }
        _ => {
            let request = Request::Orchestrate(Box::new(input));
            analyze::answer(&surface, &parts.headers, request).await
        }
    }
}

/// A plan is its own answer: there is no run, and Codex is not started.
fn planned(manner: Manner, report: &Orchestration) -> Response {
    match manner {
        Manner::Whole | Manner::Later => Json(report).into_response(),
        Manner::Events => {
            let event = Event { seq: 1, name: EventName::Report, data: report.body().clone() };
            sse::response(stream::iter([event]))
        }
    }
}
