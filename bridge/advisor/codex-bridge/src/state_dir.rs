//! The state folder: created for one user, and rejected if another user could write into it.

use std::fs::{self, DirBuilder};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use host::daemon_process::{self, DaemonProcess};
use host::{Access, Durability, address};

/// Free space for this user on a folder's disk, in bytes; `None` if the system does not say.
#[must_use]
pub fn free_space(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Why the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirError {
    /// It could not be created or read.
    #[error("the state folder {} cannot be used; make it writable or set `state_dir`", path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It is not a folder.
    #[error("{} is not a folder; remove it or set `state_dir`", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// It belongs to another user.
    #[error("the state folder {} belongs to user {owner}, not to you ({user}); run as that user, change its owner or set `state_dir`", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The owner of the folder.
        owner: u32,
        /// The user of this process.
        user: u32,
    },
    /// Other users may write into it.
    #[error("other users may write into the state folder {} (mode {mode:03o}); run `chmod 700 {}`", path.display(), path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// Creates the folder (mode 0700) if it is absent, and checks that only this user can write to it.
///
/// # Errors
/// [`StateDirError`], by cause.
pub fn prepare(path: &Path) -> Result<(), StateDirError> {
    let unusable = |source| StateDirError::Unusable { path: path.to_owned(), source };
    if !path.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
    }
    check(path)
}

/// Checks that an existing folder is ours and that no other user can write to it.
///
/// # Errors
/// [`StateDirError`], by cause.
pub fn check(path: &Path) -> Result<(), StateDirError> {
    let path_buf = || path.to_owned();
    let metadata = fs::metadata(path)
        .map_err(|source| StateDirError::Unusable { path: path_buf(), source })?;
    let user = rustix::process::geteuid().as_raw();
    let mode = metadata.mode() & 0o777;
    if !metadata.is_dir() {
        Err(StateDirError::NotAFolder { path: path_buf() })
    } else if metadata.uid() != user {
        Err(StateDirError::Foreign { path: path_buf(), owner: metadata.uid(), user })
    } else if mode & 0o022 != 0 {
        Err(StateDirError::Open { path: path_buf(), mode })
    } else {
        Ok(())
    }
}

/// The address of a running daemon, written to `<state_dir>/address` for clients, with a file that
/// identifies its process beside it; both are removed when this is dropped.
#[derive(Debug)]
pub struct AddressFile {
    path: PathBuf,
    note: PathBuf,
    content: String,
}

impl AddressFile {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// The file system's error.
    pub fn write(state_dir: &Path, address: SocketAddr) -> io::Result<Self> {
        let (path, note) = (address::file(state_dir), daemon_process::file(state_dir));
        let address = format!("http://{address}");
        let write = |path: &Path, text: &str| {
            host::replace(path, text.as_bytes(), Access::PRIVATE, Durability::Synced)
        };
        // Written first: an address without process information is used only if its listener belongs to the user.
        match DaemonProcess::of_self() {
            Some(process) => write(&note, &process.note(&address))?,
            None => remove(&note)?,
        }
        let content = format!("{address}\n");
        write(&path, &content)?;
        Ok(Self { path, note, content })
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        // A newer daemon may have written its own address.
        if fs::read_to_string(&self.path).is_ok_and(|content| content == self.content) {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(&self.note);
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
