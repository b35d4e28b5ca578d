//! What `ci` reads of the environment.

use std::ffi::OsStr;

use host::{Environment, environment};

/// Set and not empty: no colours (<https://no-color.org>).
const NO_COLOR: &str = "NO_COLOR";

/// Whether colours are welcome on a terminal.
pub(super) fn wants_colour(environment: &Environment) -> bool {
    environment.get(NO_COLOR).is_none()
}

/// The `PATH` on which git is looked for.
pub(super) fn program_path(environment: &Environment) -> &OsStr {
    environment.get(environment::PATH).unwrap_or_default()
}
