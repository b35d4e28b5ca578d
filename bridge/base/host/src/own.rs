//! What belongs to this user, and is therefore believed: repositories, as git has it since
//! CVE-2022-24765, folders for caches, and settings.

use std::fmt;
use std::fs::{self, File};
use std::io;
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

/// Settings that another user wrote or could write. They may name programs, and where keys are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NotOwn {
    /// The file, or the folder in which it was looked for.
    path: PathBuf,
    /// Whose it is.
    owner: u32,
    /// Its permission bits.
    mode: u32,
}

impl fmt::Display for NotOwn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, owner, mode } = self;
        let path = path.display();
        let own = rustix::process::geteuid().as_raw();
        if ![0, own].contains(owner) {
            return write!(
                formatter,
                "{path} belongs to user {owner}, and settings count from you ({own}) and root alone"
            );
        }
        write!(
            formatter,
            "other users may write to {path} (owner {owner}, mode {mode:03o}); when it is as you want it, `chmod o-w {path}`"
        )
    }
}

impl std::error::Error for NotOwn {}

/// Permission to write for those who are neither the owner nor of the group. A group is often the user's own.
const OTHERS_WRITE: u32 = 0o002;

/// Of a folder: only the owner of a file may rename or remove it.
const STICKY: u32 = 0o1000;

/// Checks that an opened file of the user's settings, and the folder in which `path` names it, are this user's or
/// root's, and that no other user may write to them.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] with whose it is; what the system says of the file.
pub fn check_settings(file: &File, path: &Path) -> io::Result<()> {
    not_others(path, &file.metadata()?)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    check_settings_folder(folder.unwrap_or(Path::new(".")))
}

/// The same of a folder with settings; it may be absent.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] with whose it is.
pub fn check_settings_folder(folder: &Path) -> io::Result<()> {
    fs::metadata(folder).map_or(Ok(()), |found| not_others(folder, &found))
}

fn not_others(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    let (owner, mode) = (found.uid(), found.mode() & 0o7777);
    let is_kept = found.is_dir() && mode & STICKY != 0;
    if (owner == 0 || is_owner(found)) && (mode & OTHERS_WRITE == 0 || is_kept) {
        return Ok(());
    }
    let error = NotOwn { path: path.to_owned(), owner, mode };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, error))
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

    #[test]
    fn settings_count_where_no_other_user_could_write_them() {
        let outer = tempfile::tempdir().expect("a folder");
        let folder = outer.path().join("settings");
        fs::create_dir(&folder).expect("a folder");
        let path = folder.join("config.toml");
        fs::write(&path, "x").expect("a file");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        let check = |path: &Path| check_settings(&File::open(path).expect("a file"), path);
        for (of_folder, of_file, counts) in [
            (0o755, 0o644, true),
            (0o700, 0o600, true),
            (0o775, 0o664, true),
            (0o1777, 0o644, true),
            (0o777, 0o644, false),
            (0o755, 0o646, false),
            (0o1777, 0o666, false),
        ] {
            set(&folder, of_folder);
            set(&path, of_file);
            assert_eq!(check(&path).is_ok(), counts, "{of_folder:o} {of_file:o}");
        }
        set(&folder, 0o755);
        set(&path, 0o666);
        let link = outer.path().join("link.toml");
        symlink(&path, &link).expect("a link");
        let said = check(&link).expect_err("a link to it").to_string();
        assert!(said.contains("other users may write to") && said.contains("666"), "{said}");
        set(&path, 0o644);
        assert!(check(&link).is_ok());
        if rustix::process::geteuid().is_root() {
            chown(&path, NOBODY, NOBODY).expect("a file given away");
            let said = check(&path).expect_err("another owner").to_string();
            assert!(said.contains("belongs to user 65534"), "{said}");
            chown(&path, Some(0), Some(0)).expect("a file taken back");
            chown(&folder, NOBODY, NOBODY).expect("a folder given away");
            assert!(check(&path).is_err(), "the folder is another user's");
        }
    }
}
