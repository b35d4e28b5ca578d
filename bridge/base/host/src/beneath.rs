//! Files below a folder, reached part by part without following a symbolic link: a repository may
//! hold links that lead anywhere, and nothing is read, written or removed behind one. Every look
//! goes through [`Beneath::folder`], which is the one place that walks.
//!
//! A private folder is the same with one more condition: each of its own parts belongs to this user
//! and is closed to other users.

mod folder;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, statat, unlinkat};

use crate::atomic_file::{Access, Draft, Durability};

pub use folder::{IGNORE_ALL, IGNORE_FILE, Link, NotPrivate};
use folder::{Make, Walk};
pub use rustix::fs::FileType;

/// A folder and what lies below it. Nothing is touched or held open until it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beneath {
    /// Where the walk begins. It is named by the user or the client, and may lie behind links.
    base: PathBuf,
    /// Parts of a private folder below the base: each is checked for owner and mode.
    private: PathBuf,
    /// Folders below the base that are made with an ignore file.
    ignored: &'static [&'static str],
    /// Folders below the base that are made with mode 0700.
    closed: &'static [&'static str],
}

impl Beneath {
    /// What lies below a folder, such as the root of a repository.
    pub fn of(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), private: PathBuf::new(), ignored: &[], closed: &[] }
    }

    /// A folder of this user alone, `parts` below `base`. It is made with mode 0700 when something is
    /// written; one of another owner, or one that others may open, is refused each time.
    pub fn private(base: impl Into<PathBuf>, parts: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), private: parts.into(), ignored: &[], closed: &[] }
    }

    /// The same, with these folders as ours alone: whichever call makes one puts [`IGNORE_FILE`] into
    /// it. A folder that is there already is as the user has it, committed or not, and stays visible.
    #[must_use]
    pub fn ignoring(self, folders: &'static [&'static str]) -> Self {
        Self { ignored: folders, ..self }
    }

    /// The same, with these folders closed to other users by whichever call makes one. A folder that is
    /// there already is as the user has it.
    #[must_use]
    pub fn closing(self, folders: &'static [&'static str]) -> Self {
        Self { closed: folders, ..self }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.base.join(&self.private)
    }

    /// Opens a plain file to read it.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`]; [`Link`] inside where a part is a link; [`NotPrivate`] inside;
    /// [`io::ErrorKind::InvalidData`] for what is no plain file.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        // Without blocking: a pipe would be waited for.
        self.file(path.as_ref(), OFlags::RDONLY | OFlags::NONBLOCK, Make::No)
    }

    /// Opens a plain file to add to its end, and makes it where it is absent. One with a second name
    /// is refused: that name may lie elsewhere.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn append(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK;
        let file = self.file(path.as_ref(), flags, Make::Yes)?;
        match file.metadata()?.nlink() {
            1 => Ok(file),
            _ => Err(no_plain_file(path.as_ref())),
        }
    }

    /// Opens a file that is only there to be locked, and makes it where it is absent.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn lock_file(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK;
        self.file(path.as_ref(), flags, Make::Yes)
    }

    /// Replaces a file whole, as [`crate::replace`] does, with [`Durability::Cached`]. Folders are made.
    ///
    /// # Errors
    /// As [`Beneath::open`]; the old file is untouched then.
    pub fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let access = if self.is_private() { Access::PRIVATE } else { Access::Umask };
        self.draft(path, bytes, access, Durability::Cached)?.replace()
    }

    /// Writes new content of a file beside it; what is returned takes the file's place. Folders are made.
    ///
    /// # Errors
    /// As [`Beneath::open`]; nothing is left beside the file then.
    pub fn draft(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        access: Access,
        durability: Durability,
    ) -> io::Result<Draft> {
        let (folder, name) = self.parent(path.as_ref(), Make::Yes)?;
        Draft::write(folder, &name, bytes, access, durability)
    }

    /// Removes a file or a link itself; it is no error where there is none.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn remove(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let removed = self
            .parent(path.as_ref(), Make::No)
            .and_then(|(folder, name)| Ok(unlinkat(folder, name, AtFlags::empty())?));
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Moves a file to another name.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (old_folder, old) = self.parent(from.as_ref(), Make::No)?;
        let (new_folder, new) = self.parent(to.as_ref(), Make::Yes)?;
        Ok(renameat(old_folder, old, new_folder, new)?)
    }

    /// What a path is, a link as the link itself.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn metadata(&self, path: impl AsRef<Path>) -> io::Result<Metadata> {
        let (folder, name) = self.parent(path.as_ref(), Make::No)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(folder, name, flags, Mode::empty())?).metadata()
    }

    /// The names in a folder, in no order.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn names(&self, folder: impl AsRef<Path>) -> io::Result<Vec<OsString>> {
        Ok(self.entries(folder)?.into_iter().map(|(name, _)| name).collect())
    }

    /// The names in a folder, in no order, each with what it is; a link is a link.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn entries(&self, folder: impl AsRef<Path>) -> io::Result<Vec<(OsString, FileType)>> {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = self.folder(folder.as_ref(), Make::No)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::new(openat(&folder, ".", flags, Mode::empty())?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say it; what is gone by now stays unknown.
                FileType::Unknown => statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Makes a folder and those above it.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn make(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        self.folder(folder.as_ref(), Make::Yes).map(drop)
    }

    /// Waits until the names in a folder are on disk.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn sync(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = self.folder(folder.as_ref(), Make::No)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        File::from(openat(folder, ".", flags, Mode::empty())?).sync_all()
    }

    fn folder(&self, folder: &Path, make: Make) -> io::Result<std::os::fd::OwnedFd> {
        let Self { base, private, ignored, closed } = self;
        Walk { base, private, ignored, closed }.to(folder, make)
    }

    fn file(&self, path: &Path, flags: OFlags, make: Make) -> io::Result<File> {
        let (folder, name) = self.parent(path, make)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(folder, name, flags, self.mode()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::LOOP) => return Err(Link { path: path.to_owned() }.into()),
            Err(error) => return Err(error.into()),
        };
        if file.metadata()?.is_file() { Ok(file) } else { Err(no_plain_file(path)) }
    }

    fn parent(&self, path: &Path, make: Make) -> io::Result<(std::os::fd::OwnedFd, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let folder = self.folder(path.parent().unwrap_or(Path::new("")), make)?;
        Ok((folder, name))
    }

    /// What others may do with a file that is made here.
    fn mode(&self) -> Mode {
        Mode::from_raw_mode(if self.is_private() { 0o600 } else { 0o666 })
    }

    fn is_private(&self) -> bool {
        !self.private.as_os_str().is_empty()
    }
}

fn no_plain_file(path: &Path) -> io::Error {
    let what = format!("{} is no plain file of one name", path.display());
    io::Error::new(io::ErrorKind::InvalidData, what)
}
