//! The HTTP app: which routes there are, who may use them, and how an answer looks.
//!
//! A request meets the checks in this order: route and method, Host and Origin, token, content
//! type, size, JSON, contract. What comes first is cheapest and tells a stranger least. Nothing
//! here knows how a run is made: that is [`Service`].

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

/// Requests that may wait for a run at the same time: attached callers, long polls and event
/// streams. A quarter of [`ConnectionLimits::MAX`] is so left for everything that is short.
const WAITING_MAX: usize = 1536;

/// The routes over this service, and over the pages where there is a window.
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
    // `route_layer` on each method router, not on the whole: a wrong method is told so first.
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
