//! Recognises the court's own program by its identity, not its name: the same file, the same content, or
//! the same build. Not here: the consequences.

use std::cell::OnceCell;
use std::fs::{self, File, Metadata};
use std::io::{BufReader, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gate_disk::OnDisk;

/// Size of a program's head that is searched for the build id, in bytes.
const HEAD_MAX: u64 = 64 << 10;
/// Minimum size of a copy, whatever was cut off.
const SIZE_MIN: u64 = 256 << 10;
/// The type of an ELF note with a build id, and its owner's name (`elf.h`: `NT_GNU_BUILD_ID`).
const BUILD_NOTE: [u8; 8] = [3, 0, 0, 0, b'G', b'N', b'U', 0];

/// This program.
pub(super) struct OwnProgram {
    path: PathBuf,
    found: Metadata,
    /// Its build id, read on first use.
    build: OnceCell<Option<Vec<u8>>>,
}

impl OwnProgram {
    /// The running file; `None` if it is not visible.
    pub(super) fn running() -> Option<Self> {
        Self::at(std::env::current_exe().ok()?)
    }

    fn at(path: PathBuf) -> Option<Self> {
        let found = fs::metadata(&path).ok()?;
        Some(Self { path, found, build: OnceCell::new() })
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }

    /// Whether a word of a command refers to this program, as a path or through `PATH`.
    pub(super) fn is_named_by(
        &self,
        word: &str,
        cwd: &Path,
        search: &str,
        disk: &OnDisk<'_>,
    ) -> bool {
        if word.is_empty() || word.len() > 4096 || word.contains('\0') {
            return false;
        }
        if word.contains('/') {
            let path = cwd.join(word);
            return disk.answers(&path) && self.is_at(&path);
        }
        let folders = search.split(':').filter(|folder| folder.starts_with('/'));
        folders.take(64).any(|folder| self.is_at(&Path::new(folder).join(word)))
    }

    /// Whether a file is this program. A file of another size is not read if it has no build id
    /// or is not a program.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let Ok(found) = fs::metadata(path) else { return false };
        if (found.dev(), found.ino()) == (self.found.dev(), self.found.ino()) {
            return true;
        }
        if !found.is_file() || found.len() < SIZE_MIN.min(self.found.len()) {
            return false;
        }
        let number = build(path);
        if number.is_some() && number == *self.build.get_or_init(|| build(&self.path)) {
            return true;
        }
        found.len() == self.found.len() && same_bytes(path, &self.path)
    }
}

fn same_bytes(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (File::open(one), File::open(other)) else { return false };
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    let (mut part, mut part_of_other) = ([0; 64 << 10], [0; 64 << 10]);
    loop {
        let (Ok(length), Ok(length_of_other)) =
            (fill(&mut one, &mut part), fill(&mut other, &mut part_of_other))
        else {
            return false;
        };
        if part[..length] != part_of_other[..length_of_other] {
            return false;
        }
        if length == 0 {
            return true;
        }
    }
}

fn fill(input: &mut impl Read, part: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < part.len() {
        match input.read(&mut part[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

/// A program's build id: a note by the linker, which a copy keeps.
fn build(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD_MAX).read_to_end(&mut head).ok()?;
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    // The length of the name (4), of the id, then the type and the name.
    let at = memchr::memmem::find_iter(&head, &BUILD_NOTE)
        .find(|at| at.checked_sub(8).is_some_and(|start| head[start..start + 4] == [4, 0, 0, 0]))?;
    let length = u32::from_le_bytes(head[at - 4..at].try_into().ok()?);
    let start = at + BUILD_NOTE.len();
    let number = head.get(start..start + usize::try_from(length).ok()?)?;
    (8..=64).contains(&number.len()).then(|| number.to_vec())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    use gate_disk::{OnDisk, Session};

    use super::OwnProgram;
    use crate::guard::LOOK_UPS_MAX;

    #[test]
    fn copies_and_links_are_known_whatever_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = OwnProgram::running().unwrap();
        let disk = OnDisk::new("", [folder.path(), folder.path()], LOOK_UPS_MAX, Session::default);
        fs::copy(&own.path, at("copy")).unwrap();
        symlink(&own.path, at("link")).unwrap();
        symlink(at("link"), at("link-of-link")).unwrap();
        for name in ["copy", "link", "link-of-link"] {
            assert!(own.is_at(&at(name)), "{name}");
            let here = folder.path().to_str().unwrap();
            assert!(own.is_named_by(&format!("./{name}"), folder.path(), "", &disk), "{name}");
            assert!(own.is_named_by(name, "/".as_ref(), here, &disk), "{name}");
            assert!(!own.is_named_by(name, folder.path(), "/usr/bin:relative", &disk), "{name}");
        }
        // Data was appended: it is still the same build.
        OpenOptions::new().append(true).open(at("copy")).unwrap().write_all(b"more").unwrap();
        let numbered = super::build(&own.path).is_some();
        assert_eq!(own.is_at(&at("copy")), numbered);
        // Another program, one of the same size, a folder, and a missing file.
        let mut bytes = fs::read(&own.path).unwrap();
        bytes[0] = 0;
        fs::write(at("other"), bytes).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for name in ["other", "folder", "absent"] {
            assert!(!own.is_at(&at(name)), "{name}");
        }
        assert!(!own.is_named_by("/bin/sh", folder.path(), "", &disk));
    }
}
