//! Where the index of a root lies, and who may have written it. What lies there is not known here, but for the file of the
//! repository's own words.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use host::{Beneath, Environment, UserFolder};

use crate::hash::content_hash;

/// The folder for indexes instead of the usual one.
pub const CACHE_DIR_VARIABLE: &str = "CODE_INTEL_CACHE_DIR";
/// The repository's own words; what it says is checked where it is read.
pub const WORDS: &str = "words";

/// The folder of one root's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexFolder(PathBuf);

/// The folder for indexes: `CODE_INTEL_CACHE_DIR`, else `codex-bridge/code-intel` in the user's cache
/// folder; `None` when the environment names none.
#[must_use]
pub fn cache_folder(environment: &Environment) -> Option<PathBuf> {
    let usual =
        || Some(environment.user_folder(UserFolder::Cache)?.join("codex-bridge/code-intel"));
    environment.folder(CACHE_DIR_VARIABLE).or_else(usual)
}

impl IndexFolder {
    /// The folder below `cache` for the folder `root`.
    #[must_use]
    pub fn new(cache: &Path, root: &Path) -> Self {
        let hash = content_hash(root.as_os_str().as_bytes());
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or("root");
        let safe: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
        Self(cache.join(format!("{safe:.24}-{hash:016x}")))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The index and the folder of all indexes are this user's alone: another could say in them what
    /// the repository holds.
    ///
    /// # Errors
    /// When they are not. That there is no index yet is no error.
    pub fn check(&self) -> io::Result<()> {
        if let Some(cache) = self.0.parent() {
            host::own::check_own_folder(cache)?;
        }
        match self.beneath().names("") {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The folder, which no link may stand for, and which is made with mode 0700.
    #[must_use]
    pub fn beneath(&self) -> Beneath {
        let name = self.0.file_name().unwrap_or_default();
        Beneath::private(self.0.parent().unwrap_or(&self.0), name)
    }

    /// The file of the repository's own words.
    ///
    /// # Errors
    /// When there is none, or when it could be another's.
    pub fn open_words(&self) -> io::Result<File> {
        self.check()?;
        self.beneath().open(WORDS)
    }

    /// Replaces the file of the repository's own words whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_words(&self, bytes: &[u8]) -> io::Result<()> {
        self.check()?;
        self.beneath().replace(WORDS, bytes)
    }
}
