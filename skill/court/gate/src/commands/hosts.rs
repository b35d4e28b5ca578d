//! What the name of a host says: whether it is this machine, and whether others work with it. Not here: what is sent there.

/// Whether the name of a machine, a database or a cluster says that others work with it.
pub(super) fn is_production(name: &str) -> bool {
    let mut parts = name.split(|each: char| !each.is_ascii_alphabetic());
    parts.any(|part| {
        ["prod", "production", "prd", "live", "primary", "master"]
            .iter()
            .any(|known| part.eq_ignore_ascii_case(known))
    })
}

/// Whether an address is on this machine.
pub(super) fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host =
        if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]" | "::1" | "")
        || host.ends_with(".localhost")
        || host.starts_with("127.")
}
