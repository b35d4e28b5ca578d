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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ROUTES;

    /// The files that add routes. axum 0.8 does not list the routes of a router, so they are read from there.
    const SOURCES: [&str; 2] = [include_str!("../http.rs"), include_str!("window.rs")];

    #[test]
    fn every_path_of_the_router_is_listed_and_no_other() {
        let routed: BTreeSet<&str> = SOURCES
            .iter()
            .flat_map(|source| source.split(".route(\"").skip(1))
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(routed, ROUTES.iter().copied().collect());
    }
}
