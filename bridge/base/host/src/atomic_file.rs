//! Writes a file whole: a reader sees the old content or the new one, and never a part of either. The
//! one place where a file is written beside another and moved over it.

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

/// What others may do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// What the process's umask leaves of reading and writing for all.
    Umask,
    /// These permission bits, whatever the umask is.
    Exactly(u32),
}

impl Access {
    /// This user alone reads and writes it.
    pub const PRIVATE: Self = Self::Exactly(0o600);
}

/// What a loss of power after the call may take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The new content; what can be made again is not worth waiting for a disk.
    Cached,
    /// Nothing: content and name are on disk when the call returns.
    Synced,
}

/// New content of a file, whole beside it under a name of its own, and not in its place yet. Dropped, it is
/// gone; only the end of the process leaves it behind, until [`Draft::sweep`].
#[derive(Debug)]
pub struct Draft {
    folder: OwnedFd,
    name: OsString,
    /// Its name until it takes the place; none once it has.
    fresh: Option<OsString>,
    file: File,
    durability: Durability,
}

/// Replaces the file at `path`, or makes it. Its folder must be there. A symbolic link in its place is
/// replaced, not followed.
///
/// # Errors
/// What the file system said; the old file is untouched then, and nothing is left beside it.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    Draft::write(folder, name, bytes, access, durability)?.replace()
}

/// Makes the file at `path` whole, unless something has its name by then: of many that try, one does.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], and what else the file system said.
pub fn create(path: &Path, bytes: &[u8], access: Access, durability: Durability) -> io::Result<()> {
    let (folder, name) = parent(path)?;
    Draft::write(folder, name, bytes, access, durability)?.create()
}

impl Draft {
    /// Writes it for a name in an open folder.
    ///
    /// # Errors
    /// What the file system said; nothing is left then.
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
            // Never more open than it is to be.
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

    /// The file that holds it.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// What has the place now, a link as the link itself.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] where nothing has, and what else the file system said.
    pub fn replaced(&self) -> io::Result<Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(&self.folder, &self.name, flags, Mode::empty())?).metadata()
    }

    /// Takes the place, whatever has it now.
    ///
    /// # Errors
    /// What the file system said; the old file is untouched then.
    pub fn replace(mut self) -> io::Result<()> {
        self.sync()?;
        if let Some(fresh) = &self.fresh {
            renameat(&self.folder, fresh, &self.folder, &self.name)?;
        }
        self.fresh = None;
        self.settle()
    }

    /// Takes the place if nothing has it.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], and what else the file system said.
    pub fn create(mut self) -> io::Result<()> {
        self.sync()?;
        match self.create_by_rename() {
            // The file system does not know such a rename.
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
            // Unlike a plain rename, a link replaces nothing. The draft's own name goes with the draft.
            linkat(&self.folder, fresh, &self.folder, &self.name, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Removes the drafts that processes which were killed while they wrote this file left beside it, if they are
    /// older than a minute. What cannot be looked at or removed stays: the file is what counts.
    pub fn sweep(&self) {
        let _ = abandoned::remove(&self.folder, &self.name);
    }

    /// Brings the content to the disk, where that is asked for: so that nothing slow stands between a last look
    /// at what has the place and taking it.
    ///
    /// # Errors
    /// What the file system said.
    pub fn sync(&self) -> io::Result<()> {
        match self.durability {
            Durability::Cached => Ok(()),
            Durability::Synced => self.file.sync_all(),
        }
    }

    fn settle(&self) -> io::Result<()> {
        match self.durability {
            Durability::Cached => Ok(()),
            // Only what is open for reading can be synced.
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
            // There is nothing else to do about it.
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
