//! The settings file: where it really lies, its text, and how it is replaced.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use host::{Access, Durability, Environment, environment};

/// Names the folder of Claude Code's settings, in place of `~/.claude` (Claude Code 2.1).
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// The mode of a settings file that was not there before.
const MODE: u32 = 0o600;

/// Longest settings file that is read, in bytes.
const FILE_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Claude Code's folder of the user; `None` where neither variable nor home folder says.
#[must_use]
pub fn users_folder(environment: &Environment) -> Option<PathBuf> {
    let usual = || Some(environment.folder(environment::HOME)?.join(".claude"));
    environment.folder(CLAUDE_CONFIG_DIR).or_else(usual)
}

/// Where the file lies. Settings are often linked from a folder of dot files: the link stays, its
/// target changes.
#[must_use]
pub fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The file's text; `None` where there is no file.
///
/// # Errors
/// It cannot be read, is no regular file or is over 4 MiB.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
        Ok(metadata) if metadata.len() > FILE_MAX_BYTES => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is over 4 MiB"))
        }
        Ok(_) => fs::read_to_string(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The permission bits of the file; the user's alone where it is new.
#[must_use]
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).map_or(MODE, |metadata| metadata.permissions().mode() & 0o7777)
}

/// Replaces a file in one step, and makes its folder.
///
/// # Errors
/// What the file system said; the old file is there then.
pub fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    host::replace(path, text.as_bytes(), Access::Exactly(mode), Durability::Synced)
}
