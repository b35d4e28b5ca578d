//! Finds the pinned Codex.

use std::path::{Path, PathBuf};

/// The variable that names another executable, as for the daemon.
const CODEX_BIN: &str = "CODEX_BRIDGE_CODEX_BIN";

/// The native executable of the pinned Codex: the one that `CODEX_BRIDGE_CODEX_BIN` names, else
/// the one that `make test` installs below `deploy/`.
///
/// `None` prints on stderr that the test is skipped, and why. In CI no test is skipped.
///
/// # Panics
/// If `CI` is set and there is no Codex.
#[must_use]
pub fn codex_bin() -> Option<PathBuf> {
    let named = std::env::var_os(CODEX_BIN).map(PathBuf::from);
    let found = named.or_else(installed).filter(|path| path.is_file());
    if found.is_none() {
        skipping::missing("Codex", &format!("run `npm ci --prefix deploy` or set {CODEX_BIN}"));
    }
    found
}

/// The native executables of the pinned Codex and of the older ones that `make test` installs below
/// `tests/codex-versions`: all supported versions, in no particular order.
///
/// `None` prints on stderr that the test is skipped, and why. In CI no test is skipped.
///
/// # Panics
/// If `CI` is set and there are none.
#[must_use]
pub fn codex_versions() -> Option<Vec<PathBuf>> {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("codex-versions/node_modules");
    // npm installs the program of one version beside its launcher, and that of another below it.
    let older =
        [modules.join("codex-0.145/node_modules"), modules.join("codex-0.155/node_modules")];
    let older = older.into_iter().chain([modules]).filter_map(|it| native(&it.join("@openai")));
    let found: Vec<PathBuf> = older.chain([codex_bin()?]).collect();
    if found.len() < 2 {
        skipping::missing("an older Codex", "run `npm ci --prefix tests/codex-versions`");
        return None;
    }
    Some(found)
}

/// The newest Codex of the registry, if `make codex-newest` has found another than the tested ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Newest {
    /// It is one of the tested versions.
    Tested,
    /// It is installed.
    Installed {
        /// Its native executable.
        codex: PathBuf,
        /// Its version, as in the registry.
        version: String,
    },
    /// There was no search, the registry did not respond, or the installation failed.
    Unknown(String),
}

/// The result of `make codex-newest` below `.tools`.
#[must_use]
pub fn newest_codex(tested: &[&str]) -> Newest {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/codex-newest");
    let version = std::fs::read_to_string(folder.join("version")).unwrap_or_default();
    let version = version.trim().to_owned();
    if version.is_empty() {
        return Newest::Unknown("it is not known which Codex is the newest".to_owned());
    }
    if tested.contains(&version.as_str()) {
        return Newest::Tested;
    }
    match native(&folder.join("node_modules/@openai")) {
        Some(codex) => Newest::Installed { codex, version },
        None => {
            Newest::Unknown(format!("codex {version} is the newest, and could not be installed"))
        }
    }
}

/// `deploy/node_modules/@openai/codex-PLATFORM/vendor/TRIPLE/bin/codex`, the layout of 0.169.
fn installed() -> Option<PathBuf> {
    native(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/node_modules/@openai"))
}

/// The native executable in a folder `@openai`.
fn native(scope: &Path) -> Option<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    };
    let triples = entries(scope.to_owned()).flat_map(|package| entries(package.join("vendor")));
    triples.map(|triple| triple.join("bin/codex")).find(|path| path.is_file())
}
