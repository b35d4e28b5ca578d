//! Writes a file atomically: a reader sees the old content or the new one, never a part of either. The
//! only place where a file is written under a temporary name and renamed.

mod abandoned;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, fchmod, linkat, openat, renameat, renameat_with,
    unlinkat,
};
use rustix::io::Errno;

/// Permissions of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read and write for all, restricted by the process's umask.
    Umask,
    /// These permission bits, independent of the umask.
    Exactly(u32),
}

impl Access {
    /// Read and write for this user only.
    pub const PRIVATE: Self = Self::Exactly(0o600);
}

/// What can be lost in a power cut after the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The new content; for data that can be recreated and is not worth waiting for a disk.
    Cached,
    /// Nothing: content and name are on disk when the call returns.
    Synced,
}

/// New content of a file under a temporary name beside it, not yet in its place. It is removed when dropped;
/// if the process is killed, it stays until [`Draft::sweep`].
#[derive(Debug)]
pub struct Draft {
    folder: OwnedFd,
    name: OsString,
    /// Its temporary name; `None` after it was renamed.
    fresh: Option<OsString>,
    file: File,
    durability: Durability,
}

/// Replaces or creates the file at `path`. Its folder must exist. A symbolic link at `path` is
/// replaced, not followed.
///
/// # Errors
/// The file system's error; the old file is unchanged, and no temporary file is left.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    Draft::write(folder, name, bytes, access, durability)?.replace()
}

/// Creates the file at `path` atomically, unless the name exists: of several concurrent calls, one succeeds.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or another error of the file system.
pub fn create(path: &Path, bytes: &[u8], access: Access, durability: Durability) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    Draft::write(folder, name, bytes, access, durability)?.create()
}

impl Draft {
    /// Writes a draft for a name in an open folder.
    ///
    /// # Errors
    /// The file system's error; no temporary file is left.
    pub(crate) fn write(
        folder: OwnedFd,
        name: &OsStr,
        bytes: &[u8],
        access: Access,
        durability: Durability,
    ) -> io::Result<Self> {
        let fresh = abandoned::fresh(name);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = match access {
            Access::Umask => 0o666,
            // Never more permissive than the final mode.
            Access::Exactly(mode) => mode & 0o600,
        };
        let file = File::from(openat(&folder, &fresh, flags, Mode::from_raw_mode(mode))?);
        let mut draft =
            Self { folder, name: name.to_owned(), fresh: Some(fresh), file, durability };
        draft.file.write_all(bytes)?;
        if let Access::Exactly(mode) = access {
            fchmod(&draft.file, Mode::from_raw_mode(mode))?;
        }
        Ok(draft)
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Metadata of the existing file; of a link, that of the link itself.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none, or another error of the file system.
    pub fn replaced(&self) -> io::Result<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(&self.folder, &self.name, flags, Mode::empty())?).metadata()
    }

    /// Moves the draft to its place and replaces an existing file.
    ///
    /// # Errors
    /// The file system's error; the old file is unchanged.
    pub fn replace(mut self) -> io::Result<()> {
        self.sync()?;
        if let Some(fresh) = &self.fresh {
            renameat(&self.folder, fresh, &self.folder, &self.name)?;
        }
        self.fresh = None;
        self.settle()
    }

    /// Moves the draft to its place unless the name exists.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or another error of the file system.
    pub fn create(mut self) -> io::Result<()> {
        self.sync()?;
        match self.create_by_rename() {
            // The file system does not support this rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.create_by_link()?,
            made => made?,
        }
        self.settle()
    }

    fn create_by_rename(&mut self) -> rustix::io::Result<()> {
        if let Some(fresh) = &self.fresh {
            let flags = RenameFlags::NOREPLACE;
            renameat_with(&self.folder, fresh, &self.folder, &self.name, flags)?;
        }
        self.fresh = None;
        Ok(())
    }

    fn create_by_link(&mut self) -> rustix::io::Result<()> {
        if let Some(fresh) = &self.fresh {
            // Unlike a plain rename, a link replaces nothing. The temporary name is removed with the draft.
            linkat(&self.folder, fresh, &self.folder, &self.name, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Removes drafts of this file that killed processes left behind, if they are
    /// older than a minute. Errors are ignored: only the file itself matters.
    pub fn sweep(&self) {
        let _ = abandoned::remove(&self.folder, &self.name);
    }

    /// Syncs the content to disk if requested, so that nothing slow happens between the last check of the
    /// existing file and the rename.
    ///
    /// # Errors
    /// The file system's error.
    pub fn sync(&self) -> io::Result<()> {
        match self.durability {
            Durability::Cached => Ok(()),
            Durability::Synced => self.file.sync_all(),
        }
    }

    fn settle(&self) -> io::Result<()> {
        match self.durability {
            Durability::Cached => Ok(()),
            // Only a file that is open for reading can be synced.
            Durability::Synced => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                File::from(openat(&self.folder, ".", flags, Mode::empty())?).sync_all()
            }
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(fresh) = self.fresh.take() {
            // Nothing else can be done.
            let _ = unlinkat(&self.folder, &fresh, AtFlags::empty());
        }
    }
}

/// The folder of a file, and the file's name in it.
fn parent(path: &Path) -> io::Result<(OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok((openat(CWD, folder, flags, Mode::empty())?, name))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_made_and_replaced_with_the_mode_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for (durability, mode) in
            [(Durability::Synced, 0o600), (Durability::Cached, 0o666), (Durability::Cached, 0o755)]
        {
            let text = format!("{mode:o}");
            replace(&path, text.as_bytes(), Access::Exactly(mode), durability).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
        }
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, theirs) = (folder.path().join("f"), folder.path().join("theirs"));
        fs::write(&theirs, "theirs").unwrap();
        symlink(&theirs, &path).unwrap();
        replace(&path, b"ours", Access::PRIVATE, Durability::Cached).unwrap();
        assert!(!path.is_symlink());
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    }

    #[test]
    fn nothing_is_left_where_it_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::create_dir_all(path.join("full")).unwrap();
        assert!(replace(&path, b"ours", Access::Umask, Durability::Synced).is_err());
        assert_eq!(names(folder.path()), ["f"]);
        assert!(replace(Path::new("/"), b"", Access::Umask, Durability::Cached).is_err());
        let gone = folder.path().join("gone/f");
        let error = replace(&gone, b"", Access::Umask, Durability::Cached).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn of_many_that_make_a_file_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let make = |text: &str| create(&path, text.as_bytes(), Access::PRIVATE, Durability::Synced);
        let kind = |made: io::Result<()>| made.unwrap_err().kind();
        make("one").unwrap();
        assert_eq!(kind(make("two")), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        fs::remove_file(&path).unwrap();
        symlink("gone", &path).unwrap();
        assert_eq!(kind(make("two")), io::ErrorKind::AlreadyExists, "a link has the name");
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[test]
    fn a_draft_takes_a_free_place_by_rename_and_by_link() {
        let folder = tempfile::tempdir().unwrap();
        for by in [Draft::create_by_rename, Draft::create_by_link] {
            let path = folder.path().join("f");
            let draft = |text: &str| {
                let (folder, name) = parent(&path).unwrap();
                let (access, durability) = (Access::Umask, Durability::Cached);
                Draft::write(folder, name, text.as_bytes(), access, durability).unwrap()
            };
            by(&mut draft("one")).unwrap();
            assert_eq!(by(&mut draft("two")).unwrap_err(), Errno::EXIST);
            assert_eq!(fs::read_to_string(&path).unwrap(), "one");
            assert_eq!(names(folder.path()), ["f"]);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn readers_see_whole_contents_while_many_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let text = |letter: u8| vec![letter; 64 << 10];
        replace(&path, &text(b'a'), Access::Umask, Durability::Cached).unwrap();
        std::thread::scope(|scope| {
            for letter in b'a'..=b'd' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        replace(path, &text(letter), Access::Umask, Durability::Cached).unwrap();
                        let seen = fs::read(path).unwrap();
                        assert_eq!(seen, text(seen[0]));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["f"]);
    }
}
