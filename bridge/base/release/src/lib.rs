//! The version of this release, and whether its other parts on this machine have the same version: the
//! programs beside this one, and the plugins that are installed in Claude Code. Also the manual pages that every program
//! prints for packagers.
//!
//! Not here: the daemon and Codex, which only a client of the daemon can query.

mod manual;
mod parts;

pub use manual::manual;
pub use parts::{Kind, Part, Stray, compare, plugins, programs};

/// The version that `--version` of every program prints.
///
/// A packager sets it in `CODEX_BRIDGE_BUILD_VERSION` (`deploy/version.sh` computes it from
/// the tag and the commit). Otherwise it is the workspace's version, so that a commit does not rebuild
/// crates that it did not change.
pub const VERSION: &str = match option_env!("CODEX_BRIDGE_BUILD_VERSION") {
    Some(version) if !version.is_empty() => version,
    _ => env!("CARGO_PKG_VERSION"),
};

/// The programs of a release, which are in one folder.
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

/// The command that brings all programs to one version again.
pub const REINSTALL: &str =
    "install all of codex-bridge anew, from one archive, package or checkout";
