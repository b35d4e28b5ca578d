//! Which release this is, and whether the other parts of it on this machine are of the same one: the
//! programs beside this one, and the plugins that Claude Code has installed. And what every program of it
//! prints for who packages it: its manual.
//!
//! Not here: the daemon and Codex, which only a client of the daemon can ask.

mod manual;
mod parts;

pub use manual::manual;
pub use parts::{Kind, Part, Stray, compare, plugins, programs};

/// The version that `--version` of every program prints.
///
/// A packager says it in `CODEX_BRIDGE_BUILD_VERSION` (`deploy/version.sh` makes it of
/// the tag and the commit). Without it, it is the version of the workspace, so that a commit rebuilds
/// nothing that it did not change.
pub const VERSION: &str = match option_env!("CODEX_BRIDGE_BUILD_VERSION") {
    Some(version) if !version.is_empty() => version,
    _ => env!("CARGO_PKG_VERSION"),
};

/// The programs of a release, as they lie in one folder.
pub const PROGRAMS: [&str; 8] = [
    "codex-bridge",
    "codex-advisor",
    "codex-auto",
    "auto-tool-orchestrator",
    "context-inject",
    "ci",
    "court",
    "xc",
];

/// What makes all programs of one version again.
pub const REINSTALL: &str =
    "install all of codex-bridge anew, from one archive, package or checkout";
