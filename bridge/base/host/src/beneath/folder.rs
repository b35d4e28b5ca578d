//! Walks a path one component at a time, each opened relative to the previous one, without following
//! links.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, mkdirat, openat, openat2};
use rustix::io::Errno;

/// Name of git's ignore file.
pub const IGNORE_FILE: &str = ".gitignore";
/// Content of an ignore file that excludes the whole folder, itself included.
pub const IGNORE_ALL: &str =
    "# Written by codex-bridge while you work. Without this file, git shows the folder.\n*\n";

/// A component of a path is a symbolic link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The path up to the link.
    pub path: PathBuf,
}

/// A folder that should be private to this user is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotPrivate {
    /// The folder or file.
    pub path: PathBuf,
    /// Its owner.
    pub owner: u32,
    /// Its permission bits.
    pub mode: u32,
}

/// Whether to create missing folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    Yes,
    No,
}

/// Start and conditions of a walk.
pub(super) struct Walk<'b> {
    pub(super) base: &'b Path,
    pub(super) private: &'b Path,
    pub(super) ignored: &'b [&'b str],
    pub(super) closed: &'b [&'b str],
}

impl Walk<'_> {
    /// Opens the folder at a relative path.
    pub(super) fn to(&self, folder: &Path, make: Make) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let is_private = !self.private.as_os_str().is_empty();
        if make == Make::Yes && is_private && !self.base.is_dir() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(self.base)?;
        }
        let base = rustix::fs::open(self.base, flags, Mode::empty())?;
        if make == Make::No
            && !is_private
            && let Some(found) = at_once(&base, folder)
        {
            return Ok(found);
        }
        self.by_parts(base, folder, make)
    }

    /// Opens each component relative to the previous one: used if the kernel does not support [`at_once`], and if a folder
    /// has to be created, is private or is not found, because this shows which component failed.
    fn by_parts(&self, base: OwnedFd, folder: &Path, make: Make) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let is_private = !self.private.as_os_str().is_empty();
        let mut here = base;
        let mut path = self.base.to_owned();
        let is_closed = |path: &Path| self.closed.iter().any(|ours| path == self.base.join(ours));
        let mode = |path: &Path| {
            Mode::from_raw_mode(if is_private || is_closed(path) { 0o700 } else { 0o777 })
        };
        for part in self.private.components().chain(folder.components()) {
            let Component::Normal(name) = part else {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out"));
            };
            path.push(name);
            let next = || openat(&here, name, flags | OFlags::NOFOLLOW, Mode::empty());
            let mut is_new = false;
            let found = match next() {
                Err(Errno::NOENT) if make == Make::Yes => match mkdirat(&here, name, mode(&path)) {
                    Ok(()) => {
                        is_new = true;
                        next()
                    }
                    // Another process created it first.
                    Err(Errno::EXIST) => next(),
                    Err(error) => Err(error),
                },
                found => found,
            };
            here = match found {
                Ok(found) => found,
                Err(Errno::LOOP | Errno::NOTDIR) if is_link(&here, name) => {
                    return Err(Link { path }.into());
                }
                Err(error) => return Err(error.into()),
            };
            if is_private {
                here = own(here, &path)?;
            }
            if is_new && self.ignored.iter().any(|ours| path == self.base.join(ours)) {
                ignore_all(&here)?;
            }
        }
        Ok(here)
    }
}

/// Opens a folder by one system call that follows no link and does not leave the base. `None` if the kernel or
/// its filter does not support the call, or the folder cannot be opened this way.
fn at_once(base: &OwnedFd, folder: &Path) -> Option<OwnedFd> {
    if !folder.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(base, folder, flags, Mode::empty(), resolve).ok()
}

/// Writes the ignore file into a newly created folder, unless it exists.
fn ignore_all(folder: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(folder, IGNORE_FILE, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => File::from(file).write_all(IGNORE_ALL.as_bytes()),
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn is_link(folder: &OwnedFd, name: &std::ffi::OsStr) -> bool {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(folder, name, flags, Mode::empty());
    let metadata = opened.map(File::from).map(|file| file.metadata());
    matches!(metadata, Ok(Ok(metadata)) if metadata.is_symlink())
}

/// The same folder, if it belongs to this user and is closed to other users.
fn own(folder: OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let file = File::from(folder);
    let metadata = file.metadata()?;
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    if owner != rustix::process::geteuid().as_raw() || mode & 0o077 != 0 {
        return Err(NotPrivate { path: path.to_owned(), owner, mode }.into());
    }
    Ok(file.into())
}

impl std::fmt::Display for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} is a symbolic link and is not followed", self.path.display())
    }
}

impl std::fmt::Display for NotPrivate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, owner, mode } = self;
        let path = path.display();
        write!(
            formatter,
            "{path} has owner {owner} and mode {mode:o}, not this user's alone: its owner can mend it \
             with `chmod 700 {path}`, any other folder has to go"
        )
    }
}

impl std::error::Error for Link {}
impl std::error::Error for NotPrivate {}

impl From<Link> for io::Error {
    fn from(link: Link) -> Self {
        Self::other(link)
    }
}

impl From<NotPrivate> for io::Error {
    fn from(folder: NotPrivate) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, folder)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_call_and_part_by_part_open_the_same() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("a/b/c")).unwrap();
        fs::write(tree.path().join("a/file"), "").unwrap();
        symlink("b", tree.path().join("a/inward")).unwrap();
        symlink("/", tree.path().join("a/outward")).unwrap();
        let base = || File::open(tree.path()).unwrap().into();
        let walk = Walk { base: tree.path(), private: Path::new(""), ignored: &[], closed: &[] };
        let inode = |folder: OwnedFd| File::from(folder).metadata().unwrap().ino();
        for (path, is_found) in [
            ("a", true),
            ("a/b/c", true),
            ("a/b/../b", false),
            ("../a", false),
            ("/a", false),
            ("a/file", false),
            ("a/inward", false),
            ("a/inward/c", false),
            ("a/outward/tmp", false),
            ("gone", false),
        ] {
            let once = at_once(&base(), Path::new(path)).map(inode);
            let parts = walk.by_parts(base(), Path::new(path), Make::No).ok().map(inode);
            assert_eq!((once.is_some(), once), (is_found, parts), "{path}");
        }
    }
}
