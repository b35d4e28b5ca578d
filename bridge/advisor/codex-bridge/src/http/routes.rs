//! The list of routed paths. The router is in `http`.

/// Every routed path, as named in metrics and logs.
pub(super) const ROUTES: &[&str] = &[
    "/analyze",
    "/orchestrate",
    "/runs",
    "/runs/{id}",
    "/runs/{id}/events",
    "/sessions/{id}",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/schemas/{name}",
    "/",
    "/enter",
    "/leave",
    "/window/runs",
    "/window/runs/{id}",
    "/window/runs/{id}/cancel",
    "/window/sessions/{id}",
    "/window/usage",
    "/window/context",
    "/window/projects",
    "/window/projects/{key}",
    "/window/projects/{key}/requests/{id}",
    "/window/health",
    "/window/events",
    "/window/links",
    "/window/assets/{name}",
];

/// Whether a path belongs to the pages, routed or not.
pub(super) fn is_of_window(path: &str) -> bool {
    matches!(path, "/" | "/enter" | "/leave") || path.starts_with("/window/")
}

/// The files of the pages.
pub(super) const ASSETS: &str = "/window/assets/{name}";

/// Paths that a supervisor, a monitor or an open page polls every few seconds.
pub(super) const QUIET: &[&str] = &["/healthz", "/readyz", "/metrics", "/window/events", ASSETS];
