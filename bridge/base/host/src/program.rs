//! Finds programs: our own, which are installed in one folder, and others on a
//! `PATH`. Starts no process.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Searches the absolute folders of a `PATH` for an executable file called `name`. Relative ones
/// (and so the current folder) are skipped: they may belong to another user.
#[must_use]
pub fn find_program(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| is_program(program))
}

/// Our program of this name beside our own executable, else on a `PATH`.
#[must_use]
pub fn own_program(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let beside = beside(name).ok().filter(|program| is_program(program));
    beside.or_else(|| find_program(name, path?))
}

/// The path of a program of ours beside our own executable.
///
/// # Errors
/// `/proc` is not mounted.
pub fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Whether the path is an executable file.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let metadata = fs::metadata(path);
    metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The program `name` beside our own executable. No search path, variable or
/// working folder is considered.
///
/// # Errors
/// [`NoSibling`], by cause.
pub fn installed_beside(name: &str) -> Result<PathBuf, NoSibling> {
    let program = beside(name).map_err(NoSibling::Unknown)?;
    let metadata = match fs::metadata(&program) {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) | Err(_) => return Err(NoSibling::Absent { program }),
    };
    let user = rustix::process::geteuid().as_raw();
    if ![0, user].contains(&metadata.uid()) || is_open_to_others(&metadata, &program) {
        return Err(NoSibling::Foreign { program });
    }
    Ok(program)
}

/// Whether another user could replace the program: by writing to it, or to a folder without the sticky
/// bit. The user's own group counts as the user.
fn is_open_to_others(program: &fs::Metadata, path: &Path) -> bool {
    const OTHERS_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let folder = path.parent().and_then(|folder| fs::metadata(folder).ok());
    let is_open =
        |folder: fs::Metadata| folder.mode() & OTHERS_WRITE != 0 && folder.mode() & STICKY == 0;
    program.mode() & OTHERS_WRITE != 0 || folder.is_none_or(is_open)
}

/// Why the program beside ours cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoSibling {
    /// The path of our own executable is unknown: `/proc` is not mounted.
    #[error("the folder of this program is not known")]
    Unknown(#[source] io::Error),
    /// The file does not exist.
    #[error("there is no {}; install it beside this program", program.display())]
    Absent {
        /// Its expected path.
        program: PathBuf,
    },
    /// Another user could have replaced it.
    #[error("{} belongs to, or can be replaced by, another user", program.display())]
    Foreign {
        /// The path.
        program: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_absolute_folders_only() {
        let find = |path: &str| find_program("sh", OsStr::new(path));
        assert_eq!(find("/nowhere:/bin"), Some("/bin/sh".into()));
        assert_eq!(find("/nowhere"), None);
        assert_eq!(find("bin:.:"), None);
        assert_eq!(find_program("bin", OsStr::new("/")), None, "a folder is no program");
    }

    #[test]
    fn a_program_of_ours_lies_beside_us_or_on_the_path() {
        let own = std::env::current_exe().unwrap();
        let name = own.file_name().unwrap().to_str().unwrap();
        assert_eq!(own_program(name, None), Some(own.clone()));
        assert_eq!(own_program(name, Some(OsStr::new("/bin"))), Some(own));
        assert_eq!(own_program("sh", Some(OsStr::new("/bin"))), Some("/bin/sh".into()));
        assert_eq!(own_program("sh", None), None);
    }
}
