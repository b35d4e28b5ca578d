//! The HTTP application: routes, access checks and the form of responses.
//!
//! A request passes the checks in this order: route and method, Host and Origin, token, content
//! type, size, JSON, contract. The first checks are the cheapest and reveal least to a stranger. Runs are
//! made by [`Service`].

mod access;
mod analyze;
mod attached;
mod body;
mod documents;
mod failure;
mod history;
mod listener;
pub mod openapi;
mod orchestrate;
mod probes;
mod query;
mod refused_head;
mod request_log;
mod routes;
mod scope;
mod shares;
mod socket;
mod sse;
mod state;
mod window;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use contract::failure::FailureCode;
use tokio::sync::Semaphore;

pub use crate::http::access::{Access, Hosts};
use crate::http::attached::Attachments;
use crate::http::failure::Rejection;
pub use crate::http::failure::{retry_after, status};
pub use crate::http::listener::{BindError, ConnectionLimits, Listener, serve};
use crate::http::state::AppState;
pub use crate::http::window::Window;
use crate::metrics::Metrics;
use crate::service::Service;

/// Maximum number of requests that wait for a run: attached callers, long polls and event
/// streams. This leaves a quarter of [`ConnectionLimits::MAX`] for short requests.
const WAITING_MAX: usize = 1536;

/// The routes over this service, and over the pages if they are enabled.
pub fn router(
    service: Service,
    metrics: Arc<Metrics>,
    access: Access,
    window: Option<Window>,
) -> Router {
    let app = Arc::new(AppState {
        attachments: Attachments::new(service.clone()),
        service,
        metrics,
        access,
        waiting: Arc::new(Semaphore::new(WAITING_MAX)),
        bodies: Semaphore::new(body::BUDGET_KIB),
    });
    // `route_layer` on each method router, not on the whole, so that a wrong method is reported first.
    let local = from_fn_with_state(Arc::clone(&app), access::local);
    let authorized = from_fn_with_state(Arc::clone(&app), access::authorized);
    let orchestrating = from_fn_with_state(Arc::clone(&app), access::orchestrating);
    let protected = |methods: MethodRouter<Arc<AppState>>| methods.route_layer(authorized.clone());
    let pages = window.map(|window| window::routes(&app, window)).unwrap_or_default();
    Router::new()
        .route("/analyze", protected(post(analyze::analyze)))
        .route("/orchestrate", post(orchestrate::orchestrate).route_layer(orchestrating))
        .route("/runs", protected(get(history::runs)))
        .route("/runs/{id}", protected(get(history::run).delete(history::cancel)))
        .route("/runs/{id}/events", protected(get(history::events)))
        .route("/sessions/{id}", protected(get(history::session)))
        .route("/healthz", get(probes::healthz).route_layer(local))
        .route("/readyz", protected(get(probes::readyz)))
        .route("/metrics", protected(get(probes::metrics)))
        .route("/openapi.json", protected(get(documents::openapi)))
        .route("/schemas/{name}", protected(get(documents::schema)))
        .merge(pages)
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(not_found)
        .layer(from_fn_with_state(Arc::clone(&app), request_log::envelope))
        .with_state(app)
}

async fn not_found() -> Rejection {
    Rejection::new(FailureCode::NotFound, "no such route; GET /openapi.json lists them")
}

async fn method_not_allowed() -> Rejection {
    Rejection::new(
        FailureCode::MethodNotAllowed,
        "this route has other methods; the Allow header lists them",
    )
}
