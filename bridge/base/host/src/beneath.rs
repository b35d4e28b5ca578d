//! Access to files below a folder, component by component, without following a symbolic link: a repository may
//! contain links to any place, and nothing is read, written or removed through one. Every access
//! uses [`Beneath::folder`], the only function that walks a path.
//!
//! A private folder has an additional condition: each of its own components belongs to this user
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

/// A folder and the files below it. Nothing is accessed or kept open until an operation is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beneath {
    /// Where the walk begins. Chosen by the user or the client; may contain links.
    base: PathBuf,
    /// Components of a private folder below the base: each is checked for owner and mode.
    private: PathBuf,
    /// Folders below the base that are created with an ignore file.
    ignored: &'static [&'static str],
    /// Folders below the base that are created with mode 0700.
    closed: &'static [&'static str],
}

impl Beneath {
    /// Access below a folder, such as the root of a repository.
    pub fn of(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), private: PathBuf::new(), ignored: &[], closed: &[] }
    }

    /// A private folder, `parts` below `base`. It is created with mode 0700 by the first
    /// write; a folder that has another owner, or that others may open, is refused.
    pub fn private(base: impl Into<PathBuf>, parts: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), private: parts.into(), ignored: &[], closed: &[] }
    }

    /// The same, with [`IGNORE_FILE`] in these folders when they are created. An existing folder is not
    /// changed and stays visible to git.
    #[must_use]
    pub fn ignoring(self, folders: &'static [&'static str]) -> Self {
        Self { ignored: folders, ..self }
    }

    /// The same, with these folders closed to other users when they are created. An existing folder
    /// is not changed.
    #[must_use]
    pub fn closing(self, folders: &'static [&'static str]) -> Self {
        Self { closed: folders, ..self }
    }

    /// The folder's path.
    pub fn path(&self) -> PathBuf {
        self.base.join(&self.private)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`]; [`Link`] as the inner error if a component is a link; [`NotPrivate`] as the inner
    /// error; [`io::ErrorKind::InvalidData`] if it is not a regular file.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        // Non-blocking, because opening a pipe would wait.
        self.file(path.as_ref(), OFlags::RDONLY | OFlags::NONBLOCK, Make::No)
    }

    /// Opens a regular file for appending, and creates it if it is absent. A file with a second hard link
    /// is refused, because that link may lie elsewhere.
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

    /// Opens a lock file, and creates it if it is absent.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn lock_file(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK;
        self.file(path.as_ref(), flags, Make::Yes)
    }

    /// Replaces a file like [`crate::replace`], with [`Durability::Cached`]. Folders are created.
    ///
    /// # Errors
    /// As [`Beneath::open`]; the old file is unchanged.
    pub fn replace(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let access = if self.is_private() { Access::PRIVATE } else { Access::Umask };
        self.draft(path, bytes, access, Durability::Cached)?.replace()
    }

    /// Writes new content of a file as a [`Draft`]. Folders are created.
    ///
    /// # Errors
    /// As [`Beneath::open`]; no temporary file is left.
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

    /// Removes a file or a link itself; no error if it does not exist.
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

    /// Renames a file.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (old_folder, old) = self.parent(from.as_ref(), Make::No)?;
        let (new_folder, new) = self.parent(to.as_ref(), Make::Yes)?;
        Ok(renameat(old_folder, old, new_folder, new)?)
    }

    /// Metadata of a path; of a link, that of the link itself.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn metadata(&self, path: impl AsRef<Path>) -> io::Result<Metadata> {
        let (folder, name) = self.parent(path.as_ref(), Make::No)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(folder, name, flags, Mode::empty())?).metadata()
    }

    /// The names in a folder, unsorted.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn names(&self, folder: impl AsRef<Path>) -> io::Result<Vec<OsString>> {
        Ok(self.entries(folder)?.into_iter().map(|(name, _)| name).collect())
    }

    /// The names in a folder with their file types, unsorted; links are not followed.
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
                // Some file systems do not report it; if the file is gone, the type stays unknown.
                FileType::Unknown => statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Creates a folder and its parents.
    ///
    /// # Errors
    /// As [`Beneath::open`].
    pub fn make(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        self.folder(folder.as_ref(), Make::Yes).map(drop)
    }

    /// Syncs a folder, so that its entries are on disk.
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

    /// Permissions of files created here.
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
