//! The settings file: its real path, its text, and its replacement.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use host::{Access, Durability, Environment, environment};

/// The variable with the folder of Claude Code's settings, which replaces `~/.claude` (Claude Code 2.1).
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// The mode of a new settings file.
const MODE: u32 = 0o600;

/// The longest settings file that is read, in bytes.
const FILE_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The user's folder of Claude Code; `None` if neither the variable nor the home folder is known.
#[must_use]
pub fn users_folder(environment: &Environment) -> Option<PathBuf> {
    let usual = || Some(environment.folder(environment::HOME)?.join(".claude"));
    environment.folder(CLAUDE_CONFIG_DIR).or_else(usual)
}

/// The file's real path. Settings are often linked from a folder of dot files: the link is kept, and its
/// target is changed.
#[must_use]
pub fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The file's text; `None` if there is no file.
///
/// # Errors
/// It cannot be read, is not a regular file or is larger than 4 MiB.
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

/// The permission bits of the file; private to the user for a new file.
#[must_use]
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).map_or(MODE, |metadata| metadata.permissions().mode() & 0o7777)
}

/// Replaces a file atomically, and creates its folder.
///
/// # Errors
/// An error of the file system; the old file is unchanged then.
pub fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    host::replace(path, text.as_bytes(), Access::Exactly(mode), Durability::Synced)
}
