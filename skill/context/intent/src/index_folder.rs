//! The folder of a root's index, and the check of its owner. Its content is not known here, except for the file of the
//! repository's own words.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use host::{Beneath, Environment, UserFolder};

use crate::hash::content_hash;

/// Variable with the folder for indexes, instead of the default one.
pub const CACHE_DIR_VARIABLE: &str = "CODE_INTEL_CACHE_DIR";
/// File of the repository's own words; its content is checked by the reader.
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

    /// Checks that the index and the folder of all indexes are private: another user could forge
    /// the content of the repository in them.
    ///
    /// # Errors
    /// They are not private. A missing index is not an error.
    pub fn check(&self) -> io::Result<()> {
        if let Some(cache) = self.0.parent() {
            host::own::check_own_folder(cache)?;
        }
        match self.beneath().names("") {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The folder, which must not be a link, and which is created with mode 0700.
    #[must_use]
    pub fn beneath(&self) -> Beneath {
        let name = self.0.file_name().unwrap_or_default();
        Beneath::private(self.0.parent().unwrap_or(&self.0), name)
    }

    /// The file of the repository's own words.
    ///
    /// # Errors
    /// The file does not exist, or could be another user's.
    pub fn open_words(&self) -> io::Result<File> {
        self.check()?;
        self.beneath().open(WORDS)
    }

    /// Replaces the file of the repository's own words atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_words(&self, bytes: &[u8]) -> io::Result<()> {
        self.check()?;
        self.beneath().replace(WORDS, bytes)
    }
}
