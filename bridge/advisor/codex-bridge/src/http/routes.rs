//! The paths that are routed. The router is in `http`.

/// Every path that is routed, as metrics and logs name it.
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
];

/// Those of them that a supervisor or a monitor asks every few seconds.
pub(super) const PROBES: &[&str] = &["/healthz", "/readyz", "/metrics"];
