//! Paths: made absolute and plain, and what kind of place they are.

mod place;
mod secret;
mod wiring;

pub(crate) use place::{Place, is_temporary, place};
pub(crate) use secret::{is_secret, is_secret_word};
pub(crate) use wiring::is_wiring;

use crate::shell::UNKNOWN;

/// `path` from `cwd`, without `.`, `..` and doubled slashes. An unknown component stays.
pub(crate) fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with(UNKNOWN) {
        return path.to_owned();
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    if joined.starts_with(UNKNOWN) { parts.join("/") } else { format!("/{}", parts.join("/")) }
}

/// Whether `path` is `folder` or inside it.
pub(crate) fn within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last component.
pub(crate) fn name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// What follows the last dot of the last component; empty without one.
pub(crate) fn extension(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}
