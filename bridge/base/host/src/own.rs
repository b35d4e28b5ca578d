//! Checks of ownership: only repositories of this user are trusted, as in git since
//! CVE-2022-24765, and only cache folders of this user are used.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::NotPrivate;

/// Maximum size of a `.git` file, in bytes.
const POINTER_MAX: u64 = 4096;

/// The nearest folder at or above `start` that contains `.git`, if it and its `.git` belong to this user.
///
/// A repository of another owner ends the search: neither it nor anything above it is trusted.
/// Git's `safe.directory` is ignored: to use such a folder, change its owner.
#[must_use]
pub fn repository_around(start: &Path) -> Option<&Path> {
    project_around(start, has_git)
}

/// The nearest folder at or above `start` that `is_project`, if it and a `.git` in it belong to this user.
/// A folder of another owner ends the search, as in [`repository_around`].
pub fn project_around(start: &Path, is_project: impl Fn(&Path) -> bool) -> Option<&Path> {
    let top = start.ancestors().find(|folder| is_project(folder))?;
    is_own_repository(top).then_some(top)
}

/// The repository and its owner, if [`repository_around`] stopped at one of another user.
#[must_use]
pub fn foreign_repository(start: &Path) -> Option<(&Path, u32)> {
    let top = start.ancestors().find(|folder| has_git(folder))?;
    if is_own_repository(top) {
        return None;
    }
    let git = top.join(".git");
    let target = pointer(&git);
    let parts = [Some(top), Some(&git), target.as_deref()];
    let mut owners = parts.into_iter().flatten().flat_map(|path| {
        let found = [fs::symlink_metadata(path), fs::metadata(path)];
        found.into_iter().flatten().map(|found| found.uid())
    });
    let me = rustix::process::geteuid().as_raw();
    // If all visible owners are this user, the target of `.git` cannot be read.
    Some((top, owners.find(|owner| *owner != me).unwrap_or(me)))
}

/// Whether the folder, its `.git` and the target of that belong to this user.
#[must_use]
pub fn is_own_repository(top: &Path) -> bool {
    let git = top.join(".git");
    if !is_own(top) {
        return false;
    }
    if fs::symlink_metadata(&git).is_err() {
        return true;
    }
    is_own(&git)
        && fs::metadata(&git).is_ok_and(|found| is_owner(&found))
        && pointer(&git)
            .is_none_or(|target| fs::metadata(target).is_ok_and(|found| is_owner(&found)))
}

/// Whether git accepts this as the top of a work tree: it contains a repository's folder, or the file of a
/// linked work tree or a submodule that refers to one.
#[must_use]
pub fn is_work_tree(top: &Path) -> bool {
    let git = top.join(".git");
    match git_folder(top) {
        Some(folder) if folder == git => {
            folder.join("HEAD").exists() && folder.join("objects").is_dir()
        }
        Some(folder) => folder.is_dir(),
        None => false,
    }
}

/// The git folder of a work tree: `.git`, or the target of a file with this name.
#[must_use]
pub fn git_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if fs::metadata(&git).ok()?.is_dir() { Some(git) } else { pointer(&git) }
}

/// Whether the folder contains `.git`.
pub(crate) fn has_git(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}

/// The target in the `.git` file of a linked work tree or a submodule.
fn pointer(git: &Path) -> Option<PathBuf> {
    let found = fs::metadata(git).ok()?;
    if !found.is_file() || found.len() > POINTER_MAX {
        return None;
    }
    let text = fs::read_to_string(git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(target))
}

/// Whether the path, or the link itself, belongs to this user.
#[must_use]
pub fn is_own(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| is_owner(&found))
}

fn is_owner(found: &fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Checks that a folder, if it exists, belongs to this user and that only this user may write to it.
///
/// # Errors
/// [`NotPrivate`] with the actual owner and mode.
pub fn check_own_folder(folder: &Path) -> Result<(), NotPrivate> {
    let Ok(found) = fs::metadata(folder) else { return Ok(()) };
    let mode = found.mode() & 0o7777;
    if is_owner(&found) && mode & 0o022 == 0 {
        return Ok(());
    }
    Err(NotPrivate { path: folder.to_owned(), owner: found.uid(), mode })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    const NOBODY: Option<u32> = Some(65_534);

    fn repository(top: &Path) {
        fs::create_dir_all(top.join(".git")).expect("a folder");
    }

    #[test]
    fn an_own_repository_is_found_from_below() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("a folder");
        repository(folder.path());
        assert_eq!(repository_around(&below), Some(folder.path()));
        assert_eq!(foreign_repository(&below), None);
    }

    /// Needs the right to change a folder's owner.
    #[test]
    fn a_repository_of_another_owner_is_not_believed() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        for foreign in ["", ".git", "git", "link"] {
            let folder = tempfile::tempdir().expect("a folder");
            let top = folder.path().join("shared");
            let mine = top.join("mine");
            fs::create_dir_all(&mine).expect("a folder");
            let target = folder.path().join("elsewhere");
            fs::create_dir_all(&target).expect("a folder");
            match foreign {
                "git" => fs::write(top.join(".git"), "gitdir: ../elsewhere\n").expect("a file"),
                "link" => symlink("../elsewhere", top.join(".git")).expect("a link"),
                _ => repository(&top),
            }
            assert_eq!(repository_around(&mine), Some(top.as_path()), "{foreign}");
            let given = match foreign {
                "git" | "link" => target,
                path => top.join(path),
            };
            chown(&given, NOBODY, NOBODY).expect("the right to give away");
            assert_eq!(repository_around(&mine), None, "{foreign}");
            assert_eq!(foreign_repository(&mine), Some((top.as_path(), 65_534)), "{foreign}");
            // Folders above a foreign repository are not trusted either.
            repository(folder.path());
            assert_eq!(repository_around(&mine), None, "{foreign}");
        }
    }

    #[test]
    fn a_cache_folder_is_this_users_and_writable_by_nobody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = folder.path().join("cache");
        assert_eq!(check_own_folder(&cache), Ok(()));
        fs::create_dir(&cache).expect("a folder");
        for (mode, is_refused) in [(0o700, false), (0o755, false), (0o775, true), (0o777, true)] {
            fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).expect("our folder");
            assert_eq!(check_own_folder(&cache).is_err(), is_refused, "{mode:o}");
        }
        fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).expect("our folder");
        if rustix::process::geteuid().is_root() {
            chown(&cache, NOBODY, NOBODY).expect("the right to give away");
            let refused = check_own_folder(&cache).expect_err("another owner");
            assert!(refused.to_string().contains("owner 65534"), "{refused}");
        }
    }
}
