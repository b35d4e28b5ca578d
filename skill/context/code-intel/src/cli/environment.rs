//! What `ci` reads of the environment, and nowhere else.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::engine::HISTORY_VARIABLE;

/// Set and not empty: no colours (<https://no-color.org>).
const NO_COLOR: &str = "NO_COLOR";

/// Whether history may be read behind an answer.
pub(super) fn follows_history() -> bool {
    env::var_os(HISTORY_VARIABLE).is_none_or(|value| value != "off")
}

/// A folder that a variable names.
pub(super) fn folder(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

/// Whether colours are welcome on a terminal.
pub(super) fn wants_colour() -> bool {
    env::var_os(NO_COLOR).is_none_or(|value| value.is_empty())
}

/// The `PATH` on which git is looked for.
pub(super) fn program_path() -> OsString {
    env::var_os("PATH").unwrap_or_default()
}
