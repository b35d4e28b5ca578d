//! The web pages: sign-in, access checks and routes.
//!
//! A page request passes the checks in this order: Host, Origin and `Sec-Fetch-Site`, the cookie; a form then also
//! Origin and `Sec-Fetch-Site` again, its content type, its size and its token. The cookie is valid for
//! these routes only; the bearer token is valid for none of them but `/window/links`.

mod accepted;
mod cookies;
mod enter;
mod feed;
mod form;
mod links;
mod pages;
mod projects;
pub(super) mod protection;
mod session;
mod state;
mod stream;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};

use crate::http::access;
use crate::http::state::AppState;
use state::Pages;
pub use state::Window;

/// The routes of the pages.
pub(super) fn routes(app: &Arc<AppState>, window: Window) -> Router<Arc<AppState>> {
    let pages = Arc::new(Pages::new(Arc::clone(app), window));
    let authorized = from_fn_with_state(Arc::clone(app), access::authorized);
    let local = from_fn_with_state(Arc::clone(app), access::local);
    let signed_in = from_fn_with_state(Arc::clone(&pages), session::signed_in);
    let shown = from_fn_with_state(Arc::clone(&pages), visitor::shown);
    let guest = |methods: MethodRouter<Arc<Pages>>| {
        methods.route_layer(local.clone()).route_layer(shown.clone())
    };
    let user = |methods: MethodRouter<Arc<Pages>>| {
        let methods = methods.route_layer(signed_in.clone());
        methods.route_layer(local.clone()).route_layer(shown.clone())
    };
    let links = post(links::open).delete(links::revoke).route_layer(authorized);
    Router::new()
        .route("/", user(get(pages::now)))
        .route("/enter", guest(get(enter::ask).post(enter::enter)))
        .route("/leave", user(post(enter::leave)))
        .route("/window/runs", user(get(pages::runs)))
        .route("/window/runs/{id}", user(get(pages::run)))
        .route("/window/runs/{id}/cancel", user(post(pages::cancel)))
        .route("/window/sessions/{id}", user(get(pages::session)))
        .route("/window/usage", user(get(pages::usage)))
        .route("/window/context", user(get(pages::context)))
        .route("/window/projects", user(get(projects::list)))
        .route("/window/projects/{key}", user(get(projects::one)))
        .route("/window/projects/{key}/requests/{id}", user(post(projects::decide)))
        .route("/window/health", user(get(pages::health)))
        .route("/window/events", user(get(stream::events)))
        .route("/window/links", links)
        .route("/window/assets/{name}", guest(get(pages::asset)))
        .with_state(pages)
}
