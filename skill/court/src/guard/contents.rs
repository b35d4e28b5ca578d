//! What the files behind a judgement held when it was made: an approval stands for them too. Absent: what
//! becomes of an approval.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gate::Judgement;
use sha2::{Digest, Sha256};

/// The largest file that is read for its digest, in bytes. A larger one is known by where it lies and when it
/// last changed, which no program can set.
const READ_MAX: u64 = 4 << 20;

/// A file that decided what a call means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// Its absolute path, links followed.
    pub path: String,
    /// `sha256:` and the digest of its bytes; `changed:` and what tells one state of a large file from another.
    pub digest: String,
}

/// The files that a judgement depends on, by path, as they are now. What is no file is left out.
pub fn contents(judgement: &Judgement) -> Vec<Content> {
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
