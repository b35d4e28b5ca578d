//! The folders of one run: an empty working folder and one for temporary files. Removed with the run.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use contract::id::RunId;

/// Name of the folder below the state folder that contains the runs' folders.
const RUNS_DIR: &str = "runs";

/// The folders of one run, mode 0700; removed when this is dropped.
#[derive(Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Creates them.
    pub(super) fn create(state_dir: &Path, run: RunId) -> io::Result<Self> {
        let folder = Self { path: state_dir.join(RUNS_DIR).join(run.to_string()) };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(folder.workdir())?;
        builder.create(folder.temp_dir())?;
        Ok(folder)
    }

    /// Codex's working folder when no workspace is given.
    pub(super) fn workdir(&self) -> PathBuf {
        self.path.join("work")
    }

    /// Codex's TMPDIR.
    pub(super) fn temp_dir(&self) -> PathBuf {
        self.path.join("tmp")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a run's folder could not be removed");
        }
    }
}

/// Removes folders left by a killed daemon.
pub(super) fn clear(state_dir: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(state_dir.join(RUNS_DIR)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
