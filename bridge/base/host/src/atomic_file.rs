//! Writes a file whole: a reader sees the old content or the new one, and never a part of either. The
//! one place where a file is written beside another and moved over it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat, openat, renameat, unlinkat};

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
    let (folder, name) = parent(path, durability)?;
    replace_in(&folder, name, bytes, access, durability)?;
    settle(folder, durability)
}

/// Makes the file at `path` whole, unless something has its name by then: of many that try, one does.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], and what else the file system said.
pub fn create(path: &Path, bytes: &[u8], access: Access, durability: Durability) -> io::Result<()> {
    let (folder, name) = parent(path, durability)?;
    let fresh = write_fresh(&folder, name, bytes, access, durability)?;
    // Unlike a rename, a link replaces nothing.
    let linked = linkat(&folder, &fresh, &folder, name, AtFlags::empty());
    unlinkat(&folder, &fresh, AtFlags::empty())?;
    linked?;
    settle(folder, durability)
}

/// [`replace`] for a name in an open folder; the folder itself is not synced.
pub(crate) fn replace_in(
    folder: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> io::Result<()> {
    let fresh = write_fresh(folder, name, bytes, access, durability)?;
    renameat(folder, &fresh, folder, name).inspect_err(|_| discard(folder, &fresh))?;
    Ok(())
}

/// The folder of a file, open for what `durability` asks of it, and the file's name in it.
fn parent(path: &Path, durability: Durability) -> io::Result<(OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let open_for = match durability {
        Durability::Cached => OFlags::PATH,
        // Only what is open for reading can be synced.
        Durability::Synced => OFlags::RDONLY,
    };
    let flags = open_for | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok((openat(CWD, folder, flags, Mode::empty())?, name))
}

fn settle(folder: OwnedFd, durability: Durability) -> io::Result<()> {
    match durability {
        Durability::Cached => Ok(()),
        Durability::Synced => File::from(folder).sync_all(),
    }
}

/// Writes a file of a new name in the folder and returns the name.
fn write_fresh(
    folder: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> io::Result<OsString> {
    let fresh = fresh(name);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = match access {
        Access::Umask => 0o666,
        // Never more open than it is to be.
        Access::Exactly(mode) => mode & 0o600,
    };
    let mut file = File::from(openat(folder, &fresh, flags, Mode::from_raw_mode(mode))?);
    let written = (|| {
        file.write_all(bytes)?;
        if let Access::Exactly(mode) = access {
            fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        match durability {
            Durability::Cached => Ok(()),
            Durability::Synced => file.sync_all(),
        }
    })();
    written.inspect_err(|_| discard(folder, &fresh))?;
    Ok(fresh)
}

fn discard(folder: &OwnedFd, fresh: &OsStr) {
    // There is nothing else to do about it.
    let _ = unlinkat(folder, fresh, AtFlags::empty());
}

/// A name beside the file that no other process or thread takes.
fn fresh(name: &OsStr) -> OsString {
    let mut fresh = OsString::from(".");
    fresh.push(name);
    // Each state is seeded by the system's randomness and a count.
    fresh.push(format!(".{:016x}.new", RandomState::new().hash_one(std::process::id())));
    fresh
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
