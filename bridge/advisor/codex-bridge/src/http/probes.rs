//! `GET /healthz`, `/readyz` and `/metrics`: health, readiness and metrics of the daemon.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::http::state::AppState;

/// The format that `prometheus-client` writes.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Says only that the process serves, and its version, because it needs no token.
pub(super) async fn healthz() -> Json<Value> {
    Json(json!({ "status": "ok", "version": release::VERSION }))
}

pub(super) async fn readyz(State(app): State<Arc<AppState>>) -> Response {
    let readiness = app.service.readiness().await;
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    app.service.observe_codex();
    ([(CONTENT_TYPE, OPEN_METRICS)], app.metrics.render()).into_response()
}
