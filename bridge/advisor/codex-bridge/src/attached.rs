//! A daemon attached to one program: it ends when its standard input is closed, which the kernel
//! does whenever that program ends, and removes its state folder.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;

use crate::shutdown::Shutdown;

/// Why a daemon cannot be attached.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The folder holds files, which would be removed at the end.
    #[error(
        "the state folder {} is not empty, and --attached would remove it; name a new folder with CODEX_BRIDGE_STATE_DIR", path.display()
    )]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The thread that reads standard input could not be started.
    #[error("standard input cannot be watched")]
    Watch(#[source] io::Error),
}

/// The state folder of an attached daemon; removed when this is dropped.
#[derive(Debug)]
pub struct EphemeralStateDir {
    path: PathBuf,
}

impl EphemeralStateDir {
    /// Claims a folder that does not exist or is empty.
    ///
    /// # Errors
    /// [`AttachError::NotEmpty`], also if the folder cannot be read.
    pub fn claim(path: &Path) -> Result<Self, AttachError> {
        let is_free = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_free {
            Ok(Self { path: path.to_owned() })
        } else {
            Err(AttachError::NotEmpty { path: path.to_owned() })
        }
    }
}

impl Drop for EphemeralStateDir {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(path = %self.path.display(), %error, "the state folder could not be removed");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// Requests an immediate shutdown when standard input is closed. Input is ignored.
///
/// # Errors
/// [`AttachError::Watch`].
pub fn watch(shutdown: &Shutdown) -> Result<(), AttachError> {
    let asked = shutdown.clone();
    // A separate thread, because a blocking read must not keep the runtime from shutting down.
    thread::Builder::new()
        .name("lifeline".to_owned())
        .spawn(move || {
            let mut stdin = io::stdin().lock();
            let mut passed_over = [0; 256];
            while matches!(stdin.read(&mut passed_over), Ok(bytes) if bytes > 0) {}
            tracing::info!("stopping at once: the program that this daemon is for has ended");
            asked.drain.cancel();
            asked.now.cancel();
        })
        .map(drop)
        .map_err(AttachError::Watch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_or_empty_folder_is_taken_and_it_goes_with_the_daemon() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("state");
        let folder = EphemeralStateDir::claim(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("state.sqlite"), "x").unwrap();
        drop(folder);
        assert!(!path.exists());
        drop(EphemeralStateDir::claim(&path).unwrap());

        let theirs = parent.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("mine"), "x").unwrap();
        assert!(matches!(EphemeralStateDir::claim(&theirs), Err(AttachError::NotEmpty { .. })));
        assert!(matches!(
            EphemeralStateDir::claim(&theirs.join("mine")),
            Err(AttachError::NotEmpty { .. })
        ));
        assert!(theirs.join("mine").exists());
    }
}
