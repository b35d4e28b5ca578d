//! The approver's files: the encrypted key, the public key beside it, and the memory file in the state folder.
//! Not here: their meaning.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use host::{Access, Durability};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::key::PublicKey;
use super::statement::Stretch;

/// The public keys installed by root, one line per user.
pub const PINNED: &str = "/etc/codex-bridge/approver.pub";
/// Maximum size of these files, in bytes.
const FILE_MAX: u64 = 64 << 10;
/// The version of [`Memory`].
const VERSION: u32 = 1;

/// Paths of the files of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The encrypted key.
    pub key: PathBuf,
    /// The public key in the user's configuration.
    pub public: PathBuf,
    /// The memory file: [`Memory`].
    pub memory: PathBuf,
    /// The key installed by root.
    pub pinned: PathBuf,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    Io {
        /// The file or folder of the approver.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another user could have written it.
    #[error("{} is not believed: {why}", path.display())]
    NotOwn {
        /// The file or folder of the approver.
        path: PathBuf,
        /// The violated rule of ownership.
        why: &'static str,
    },
    /// Another process has locked it.
    #[error("{} is held by another process; try again", path.display())]
    Busy {
        /// The file or folder of the approver.
        path: PathBuf,
    },
}

/// Content of the memory file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The version of this format.
    pub(super) version: u32,
    /// The public key that the user agreed to.
    pub(super) believed: String,
    /// Time of agreement, in milliseconds since 1970.
    pub(super) since_ms: u64,
    /// The key before it, and its signature under the new one.
    pub(super) agreed: Option<Agreed>,
    /// Number of wrong passphrases since the last correct one.
    pub(super) wrong: u32,
    /// The current lockout.
    pub(super) locked: Option<Stretch>,
}

/// An earlier key's signature on its successor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// The earlier key.
    pub(super) by: String,
    pub(super) signature: String,
}

impl Memory {
    /// For a key that was agreed to now.
    pub(super) fn of(believed: String, since_ms: u64, agreed: Option<Agreed>) -> Self {
        Self { version: VERSION, believed, since_ms, agreed, wrong: 0, locked: None }
    }
}

impl Files {
    /// The paths below the user's configuration folder and the court's part of the state folder.
    pub fn of(configuration: &Path, state: &Path) -> Self {
        Self {
            key: configuration.join("approver.key"),
            public: configuration.join("approver.pub"),
            memory: state.join("approver.json"),
            pinned: PathBuf::from(PINNED),
        }
    }

    /// Reads the memory file; `None` if it does not exist.
    pub(super) fn memory(&self) -> Result<Option<Memory>, FileError> {
        let Some(text) = read_own(&self.memory, Readers::Owner)? else { return Ok(None) };
        let damaged = |why| FileError::NotOwn { path: self.memory.clone(), why };
        let memory: Memory = serde_json::from_str(&text).map_err(|_| damaged("it is damaged"))?;
        if memory.version == VERSION {
            Ok(Some(memory))
        } else {
            Err(damaged("another version wrote it"))
        }
    }

    pub(super) fn remember(&self, memory: &Memory) -> Result<(), FileError> {
        let text = serde_json::to_string_pretty(memory).expect("texts and numbers are JSON");
        write(&self.memory, &(text + "\n"), 0o600)
    }

    /// Locks the files: one process at a time checks a passphrase or changes the key.
    pub(super) fn lock(&self) -> Result<File, FileError> {
        let path = self.memory.with_extension("lock");
        let failed = |source| FileError::Io { path: path.clone(), source };
        make_folder(&path)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(nofollow())
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(FileError::Busy { path }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

/// Who else may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Only its owner.
    Owner,
    /// All users.
    All,
}

/// Reads a file that only this user can have written; `None` if it does not exist.
pub(super) fn read_own(path: &Path, readers: Readers) -> Result<Option<String>, FileError> {
    let user = geteuid().as_raw();
    read_of(path, user, if readers == Readers::Owner { 0o077 } else { 0o022 })
}

/// Reads a file that only the given user can read or write.
///
/// # Errors
/// [`FileError`].
pub fn read_of_user(path: &Path, uid: u32) -> Result<Option<String>, FileError> {
    read_of(path, uid, 0o077)
}

/// Writes a public key into root's file; replaces an earlier one of this user.
///
/// # Errors
/// [`FileError`].
pub fn pin(path: &Path, uid: u32, key: &PublicKey) -> Result<PathBuf, FileError> {
    let own = format!("uid={uid}");
    let before = read_of_root(path)?.unwrap_or_default();
    let is_other = |line: &&str| !line.split_ascii_whitespace().any(|word| word == own);
    let mut lines: Vec<String> = before.lines().filter(is_other).map(str::to_owned).collect();
    lines.push(format!("{} {own}", key.line()));
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        let made = fs::DirBuilder::new().recursive(true).mode(0o755).create(folder);
        made.map_err(|source| FileError::Io { path: folder.to_path_buf(), source })?;
    }
    write(path, &(lines.join("\n") + "\n"), 0o644)?;
    Ok(path.to_path_buf())
}

/// Reads a file that only root can have written, in a folder that only root can change.
pub(super) fn read_of_root(path: &Path) -> Result<Option<String>, FileError> {
    let text = read_of(path, 0, 0o022)?;
    if text.is_some() {
        for folder in path.ancestors().skip(1) {
            let failed = |source| FileError::Io { path: folder.to_path_buf(), source };
            let found = fs::metadata(folder).map_err(failed)?;
            if found.uid() != 0 || (found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0) {
                let why = "others than root can change the folder";
                return Err(FileError::NotOwn { path: folder.to_path_buf(), why });
            }
        }
    }
    Ok(text)
}

fn read_of(path: &Path, owner: u32, forbidden: u32) -> Result<Option<String>, FileError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let file = OpenOptions::new().read(true).custom_flags(nofollow()).open(path);
    let file = match file {
        Ok(file) => file,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    };
    let found = file.metadata().map_err(failed)?;
    let not_own = |why| FileError::NotOwn { path: path.to_path_buf(), why };
    if !found.is_file() || found.len() > FILE_MAX {
        return Err(not_own("it is no small file"));
    }
    if found.uid() != owner {
        return Err(not_own("it belongs to another user"));
    }
    if found.mode() & forbidden != 0 {
        return Err(not_own("its mode lets others at it"));
    }
    let mut text = String::new();
    file.take(FILE_MAX).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

/// Replaces a file atomically and syncs it to disk.
pub(super) fn write(path: &Path, text: &str, mode: u32) -> Result<(), FileError> {
    make_folder(path)?;
    host::replace(path, text.as_bytes(), Access::Exactly(mode), Durability::Synced)
        .map_err(|source| FileError::Io { path: path.to_path_buf(), source })
}

fn make_folder(path: &Path) -> Result<(), FileError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    if folder.is_dir() {
        return Ok(());
    }
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| FileError::Io { path: folder.to_path_buf(), source })
}

/// Flags for opening: do not follow a link at the end of a path, do not block on a pipe.
fn nofollow() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed()
}
