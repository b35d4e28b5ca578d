//! Digests of the files that a judgement depends on: an approval covers them too. Not here: the use of
//! approvals.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gate::Judgement;
use sha2::{Digest, Sha256};

/// Maximum size of a file that is hashed, in bytes. A larger one is identified by its inode and its change
/// time, which no program can set.
const READ_MAX: u64 = 4 << 20;

/// A file that a judgement depends on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Content {
    /// Its absolute path, with links resolved.
    pub path: String,
    /// `sha256:` and the digest of its content; `changed:` and the identity of a large file's state.
    pub digest: String,
}

/// The files that a judgement depends on, by path, in their current state. Anything but a file is left out.
pub(crate) fn contents(judgement: &Judgement) -> Vec<Content> {
    let content = |path: &String| {
        let digest = digest(Path::new(path)).ok()??;
        Some(Content { path: path.clone(), digest })
    };
    let mut contents: Vec<Content> = judgement.files.iter().filter_map(content).collect();
    contents.sort();
    contents.dedup();
    contents
}

fn digest(path: &Path) -> io::Result<Option<String>> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.len());
    let changed = format!(
        "changed:{device}:{inode}:{size}:{}.{:09}",
        metadata.ctime(),
        metadata.ctime_nsec()
    );
    if size > READ_MAX {
        return Ok(Some(changed));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(READ_MAX + 1).read_to_end(&mut bytes));
    if read.is_err() || bytes.len() as u64 > READ_MAX {
        return Ok(Some(changed));
    }
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Some(format!("sha256:{hash}")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use gate::{Judgement, Level, Outcome};

    use super::{READ_MAX, contents};

    fn of(files: &[&std::path::Path]) -> Judgement {
        Judgement {
            level: Level::L2,
            outcome: Outcome::Judged,
            findings: Vec::new(),
            commands: Vec::new(),
            files: files.iter().map(|path| path.display().to_string()).collect(),
            writes: Vec::new(),
        }
    }

    #[test]
    fn the_content_of_every_file_counts_and_what_is_no_file_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (script, other) = (folder.path().join("t.sh"), folder.path().join("none.sh"));
        fs::write(&script, "git push\n").unwrap();
        let judgement = of(&[&script, &other, folder.path(), &script]);
        let before = contents(&judgement);
        assert_eq!(before.len(), 1, "{before:?}");
        assert!(before[0].digest.starts_with("sha256:"), "{before:?}");
        assert_eq!(contents(&judgement), before);
        fs::write(&script, "git pull\n").unwrap();
        assert_ne!(contents(&judgement), before);
        fs::write(&other, "").unwrap();
        assert_eq!(contents(&judgement).len(), 2);
    }

    #[test]
    fn a_large_file_is_known_by_its_time_of_change() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::File::create(&program).unwrap().set_len(READ_MAX + 1).unwrap();
        let judgement = of(&[&program]);
        let before = contents(&judgement);
        assert!(before[0].digest.starts_with("changed:"), "{before:?}");
        // Replaced by another file of the same size.
        fs::rename(&program, folder.path().join("old")).unwrap();
        fs::File::create(&program).unwrap().set_len(READ_MAX + 1).unwrap();
        assert_ne!(contents(&judgement), before);
    }
}
