//! Finding programs: our own, which lie beside one another in every installation, and others on a
//! `PATH`. Starts none.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Looks for an executable file called `name` in the absolute folders of a `PATH`. Relative ones
/// (and so the current folder) are passed over: they may belong to someone else.
#[must_use]
pub fn find_program(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| is_program(program))
}

/// The program of ours beside our own executable, else the one on a `PATH`.
#[must_use]
pub fn own_program(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let beside = beside(name).ok().filter(|program| is_program(program));
    beside.or_else(|| find_program(name, path?))
}

/// Where a program of ours lies if it is installed beside our own executable.
///
/// # Errors
/// Without a mounted `/proc`.
pub fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Whether the path is a file that may be executed.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let metadata = fs::metadata(path);
    metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The program `name` that is installed beside our own executable. No search path, variable or
/// working folder has a say in it.
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

/// Whether another user may replace the program: write into it, or into a folder without the sticky
/// bit. A group that is the user's own is the user.
fn is_open_to_others(program: &fs::Metadata, path: &Path) -> bool {
    const OTHERS_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let folder = path.parent().and_then(|folder| fs::metadata(folder).ok());
    let is_open =
        |folder: fs::Metadata| folder.mode() & OTHERS_WRITE != 0 && folder.mode() & STICKY == 0;
    program.mode() & OTHERS_WRITE != 0 || folder.is_none_or(is_open)
}

/// Why there is no program beside ours.
#[derive(Debug, thiserror::Error)]
pub enum NoSibling {
    /// Where our own executable lies is not known: `/proc` is not mounted.
    #[error("the folder of this program is not known")]
    Unknown(#[source] io::Error),
    /// No such file.
    #[error("there is no {}; install it beside this program", program.display())]
    Absent {
        /// Where it was looked for.
        program: PathBuf,
    },
    /// Another user could have put it there.
    #[error("{} belongs to, or can be replaced by, another user", program.display())]
    Foreign {
        /// The file that another user could replace.
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
