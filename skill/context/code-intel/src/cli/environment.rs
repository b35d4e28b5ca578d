//! The environment variables that `ci` reads.

use std::ffi::OsStr;

use host::{Environment, environment};

/// Disables colours if set to a non-empty value (<https://no-color.org>).
const NO_COLOR: &str = "NO_COLOR";

/// Whether colours are used on a terminal.
pub(super) fn wants_colour(environment: &Environment) -> bool {
    environment.get(NO_COLOR).is_none()
}

/// The `PATH` that is searched for git.
pub(super) fn program_path(environment: &Environment) -> &OsStr {
    environment.get(environment::PATH).unwrap_or_default()
}
