//! The walk: one part of a path after the other, each opened from the one before, none through a
//! link.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// The file that tells git what to leave out, in the folder that it is about.
pub const IGNORE_FILE: &str = ".gitignore";
/// What it says where everything in the folder is ours, itself included.
pub const IGNORE_ALL: &str =
    "# Written by codex-bridge while you work. Without this file, git shows the folder.\n*\n";

/// A part of a path is a symbolic link, which may lead anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Up to where.
    pub path: PathBuf,
}

/// A folder that should be this user's alone is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotPrivate {
    /// The folder or file that is refused.
    pub path: PathBuf,
    /// Whose it is.
    pub owner: u32,
    /// Its permission bits.
    pub mode: u32,
}

/// Whether folders that are absent are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    Yes,
    No,
}

/// Where a walk begins.
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
        let mut here = rustix::fs::open(self.base, flags, Mode::empty())?;
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
                    // Another process was quicker.
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

/// Puts the ignore file into a folder that was just made, unless it has one by now.
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
