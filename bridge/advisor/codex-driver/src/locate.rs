//! Finds the native Codex executable. Starts no process.
//!
//! The npm package `@openai/codex` puts a Node launcher on PATH and the native program into a
//! separate package. Bypassing the launcher saves a process, 41 MB and the one case in which a
//! kill leaves Codex alive (codex 0.169 on Node 20).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// No executable was found.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LocateError {
    /// `codex.bin` names a file that does not exist.
    #[error("codex.bin is {}, but no such file exists", path.display())]
    ConfiguredMissing {
        /// The configured path.
        path: PathBuf,
    },
    /// `codex.bin` names a file that is not executable.
    #[error("codex.bin is {}, but that is not an executable file", path.display())]
    ConfiguredNotExecutable {
        /// The configured path.
        path: PathBuf,
    },
    /// `codex.bin` or PATH leads to the npm launcher, but the native program for this platform is
    /// not installed.
    #[error(
        "{} is the npm launcher, but its native program is missing; tried {}; reinstall with `npm install -g @openai/codex`",
        launcher.display(),
        listed(tried)
    )]
    NativeMissing {
        /// The launcher, symbolic links resolved.
        launcher: PathBuf,
        /// The searched paths.
        tried: Vec<PathBuf>,
    },
    /// There is no `codex` on PATH.
    #[error(
        "no `codex` on PATH ({searched}); install it with `npm install -g @openai/codex`, or set codex.bin"
    )]
    NotOnPath {
        /// The PATH that was searched.
        searched: String,
    },
}

/// The native Codex executable: the configured one, else the one behind `codex` on
/// `path_var`.
///
/// A configured launcher is resolved as well; a configured native program is used unchanged.
///
/// # Errors
/// [`LocateError::ConfiguredMissing`], [`LocateError::ConfiguredNotExecutable`] for a wrong
/// `configured`; [`LocateError::NotOnPath`] without one; [`LocateError::NativeMissing`] for a
/// launcher whose platform package is missing.
pub fn locate(configured: Option<&Path>, path_var: Option<&OsStr>) -> Result<PathBuf, LocateError> {
    if let Some(path) = configured {
        if !path.exists() {
            return Err(LocateError::ConfiguredMissing { path: path.to_owned() });
        }
        if !is_executable(path) {
            return Err(LocateError::ConfiguredNotExecutable { path: path.to_owned() });
        }
        return native(path);
    }
    let searched = path_var.unwrap_or_default();
    std::env::split_paths(searched)
        // With a relative entry the result would depend on the daemon's working folder.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("codex"))
        .find(|candidate| is_executable(candidate))
        .ok_or_else(|| LocateError::NotOnPath { searched: searched.to_string_lossy().into_owned() })
        .and_then(|found| native(&found))
}

/// The native program of an npm launcher; any other file is the program itself.
fn native(found: &Path) -> Result<PathBuf, LocateError> {
    let real = found.canonicalize().unwrap_or_else(|_| found.to_owned());
    let is_launcher = real.file_name().is_some_and(|name| name == "codex.js");
    // The launcher is `@openai/codex/bin/codex.js`.
    let package = real.parent().and_then(Path::parent);
    let (true, Some(package)) = (is_launcher, package) else {
        return Ok(real);
    };
    let tried = candidates(package);
    match tried.iter().find(|candidate| is_executable(candidate)) {
        Some(native) => Ok(native.clone()),
        None => Err(LocateError::NativeMissing { launcher: real, tried }),
    }
}

/// Possible paths of the native program of the launcher's `package`, newest layout first.
fn candidates(package: &Path) -> Vec<PathBuf> {
    let (platform, triple) = platform();
    let sibling = package.parent().map(|scope| scope.join(platform));
    let nested = package.join("node_modules/@openai").join(platform);
    let roots = sibling.into_iter().chain([nested, package.to_owned()]);
    roots
        .flat_map(|root| {
            let vendor = root.join("vendor").join(triple);
            // codex 0.169 has `bin/codex`, older ones `codex/codex`.
            [vendor.join("bin/codex"), vendor.join("codex/codex")]
        })
        .collect()
}

/// The npm package's suffix and the target triple of this machine, as the launcher names them.
fn platform() -> (&'static str, &'static str) {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "aarch64") => ("codex-darwin-arm64", "aarch64-apple-darwin"),
        ("macos", _) => ("codex-darwin-x64", "x86_64-apple-darwin"),
        (_, "aarch64") => ("codex-linux-arm64", "aarch64-unknown-linux-musl"),
        _ => ("codex-linux-x64", "x86_64-unknown-linux-musl"),
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
