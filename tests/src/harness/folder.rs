//! A new folder for one test.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A private folder (0700) below `target/tmp`, with a state folder and a temp folder side by side.
///
/// They are side by side because Codex disables its shell sandbox if CODEX_HOME is below the temp
/// dir (codex 0.169). Removed when dropped; kept, and named on stderr, if the test fails.
#[derive(Debug)]
pub struct StateDir {
    root: Option<TempDir>,
}

impl StateDir {
    /// Creates the folders.
    ///
    /// # Errors
    /// `target/tmp` cannot be found or written.
    pub fn new() -> io::Result<Self> {
        let parent = target_dir()?.join("tmp");
        fs::create_dir_all(&parent)?;
        let private = Permissions::from_mode(0o700);
        let root =
            tempfile::Builder::new().prefix("t").permissions(private.clone()).tempdir_in(parent)?;
        for folder in ["state", "temp", "home", "work"] {
            fs::create_dir(root.path().join(folder))?;
            fs::set_permissions(root.path().join(folder), private.clone())?;
        }
        Ok(Self { root: Some(root) })
    }

    /// The whole folder; its path is in the environment of every process of this test.
    ///
    /// # Panics
    /// Never: only `drop` removes the folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.as_ref().expect("only `drop` takes the folder").path()
    }

    /// For the daemon's state.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    /// For `TMPDIR`.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.root().join("temp")
    }

    /// For `HOME`: empty, so that no sign-in and no settings of the user have an effect.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// For files of the test itself.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }
}

impl Drop for StateDir {
    fn drop(&mut self) {
        if let Some(root) = self.root.take()
            && std::thread::panicking()
        {
            let kept = root.keep();
            let _ = writeln!(std::io::stderr(), "kept for inspection: {}", kept.display());
        }
    }
}

/// The target folder, found from this executable: `target/PROFILE[/deps]/NAME`. Cargo marks only
/// a folder that it created itself, so its mark is not used.
fn target_dir() -> io::Result<PathBuf> {
    let executable = std::env::current_exe()?;
    let folders = executable.ancestors().skip(1);
    let mut above_deps = folders.skip_while(|folder| folder.ends_with("deps"));
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no target folder above the test");
    above_deps.nth(1).map(Path::to_owned).ok_or_else(missing)
}

/// An executable that this package builds, beside this one or a folder above.
///
/// # Errors
/// It was not built.
pub fn built(name: &str) -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{name} was not built"));
    found.into_iter().find(|path| path.is_file()).ok_or_else(missing)
}

/// Installs a built executable under another name: as a hard link, or as a copy between
/// different file systems.
///
/// # Errors
/// It cannot be read, or the destination cannot be written.
pub fn install(built: impl AsRef<Path>, place: &Path) -> io::Result<()> {
    fs::hard_link(&built, place).or_else(|_| fs::copy(&built, place).map(drop))
}
