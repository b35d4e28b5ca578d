//! Finds and removes drafts whose process was killed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, unlinkat};

/// Minimum age of an abandoned draft. A process that was stopped for longer between its last write and the
/// rename then fails: the old file stays.
const AGE: Duration = Duration::from_secs(60);

/// Suffix of a draft's name.
const END: &[u8] = b".new";

/// Number of hexadecimal digits in a draft's name.
const DIGITS: usize = 16;

/// A unique temporary name for a file.
pub(super) fn fresh(name: &OsStr) -> OsString {
    let mut fresh = OsString::from(".");
    fresh.push(name);
    // Each state is seeded by the system's randomness and a count.
    let number = RandomState::new().hash_one(std::process::id());
    fresh.push(format!(".{number:0DIGITS$x}"));
    fresh.push(OsStr::from_bytes(END));
    fresh
}

/// Whether [`fresh`] makes such a name for the file.
fn is_fresh_for(entry: &[u8], name: &OsStr) -> bool {
    let digits = entry
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(name.as_bytes()))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(END));
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(is_digit))
}

/// Removes the abandoned drafts of a file: regular files of this user. Errors of removal are ignored.
///
/// # Errors
/// The folder cannot be listed.
pub(super) fn remove(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    for entry in Dir::new(openat(folder, ".", flags, Mode::empty())?)? {
        let entry = entry?;
        let entry = entry.file_name();
        if is_fresh_for(entry.to_bytes(), name) {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let draft = openat(folder, entry, flags, Mode::empty());
            if draft.is_ok_and(|draft| File::from(draft).metadata().is_ok_and(is_abandoned)) {
                let _ = unlinkat(folder, entry, AtFlags::empty());
            }
        }
    }
    Ok(())
}

fn is_abandoned(draft: Metadata) -> bool {
    let is_ours = draft.uid() == rustix::process::geteuid().as_raw();
    let age = draft.modified().and_then(|at| at.elapsed().map_err(io::Error::other));
    draft.is_file() && is_ours && age.is_ok_and(|age| age >= AGE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::time::SystemTime;

    use super::*;
    use crate::atomic_file::{Access, Draft, Durability, parent};

    fn draft(path: &Path) -> Draft {
        let (folder, name) = parent(path).unwrap();
        Draft::write(folder, name, b"new", Access::Umask, Durability::Cached).unwrap()
    }

    fn age(path: &Path, age: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn drafts_of_the_dead_go_and_what_only_looks_like_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let old = AGE + Duration::from_secs(1);
        let abandoned = fresh(OsStr::new("f"));
        fs::write(place(abandoned.to_str().unwrap()), "half").unwrap();
        age(&folder.path().join(&abandoned), old);
        let stay = [
            "f",
            ".f.new",
            ".f.0123456789abcde.new",
            ".f.0123456789ABCDEF.new",
            ".f.0123456789abcdef.newer",
            ".g.0123456789abcdef.new",
            "f.0123456789abcdef.new",
        ];
        for name in stay {
            fs::write(place(name), "theirs").unwrap();
            age(&place(name), old);
        }
        // A recent one, a folder, and a link to an old file.
        let young = ".f.00000000000000aa.new";
        fs::write(place(young), "half").unwrap();
        fs::create_dir(place(".f.00000000000000bb.new")).unwrap();
        symlink("f", place(".f.00000000000000cc.new")).unwrap();

        let own = draft(&place("f"));
        own.sweep();
        own.replace().unwrap();
        let names: BTreeSet<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let links = [young, ".f.00000000000000bb.new", ".f.00000000000000cc.new"];
        assert_eq!(names, stay.into_iter().chain(links).map(OsString::from).collect());
        assert_eq!(fs::read_to_string(place("f")).unwrap(), "new");
    }
}
