//! Describes files that the engine does not read, because they are data or too large: by path, size and
//! content hash.

use std::io::Read as _;
use std::path::Path;

use code_intel::{Deadline, View};
use host::Beneath;
use sha2::{Digest as _, Sha256};

use crate::tool::{Finding, Found};

/// The largest file whose content is hashed, in bytes: a tenth of a second of work.
const HASHED_MAX: u64 = 64 * 1024 * 1024;
/// Buffer size, in bytes.
const CHUNK: usize = 64 * 1024;
/// Length of the shown hash, in bytes: enough to distinguish two versions.
const HASH_BYTES: usize = 6;

/// The answer with path, size and hash for each file that was not read.
pub(super) fn described(mut found: Found, view: &View, deadline: &Deadline) -> Found {
    let whole = found.findings.iter_mut().filter(|it| it.lines == (0, 0) && it.snippet.is_none());
    for finding in whole {
        describe(finding, view, deadline);
    }
    found
}

fn describe(finding: &mut Finding, view: &View, deadline: &Deadline) {
    let Some(path) = &finding.path else { return };
    let Some(file) = view.find(path).map(|id| view.file(id)).filter(|file| !file.is_text) else {
        return;
    };
    let hash = hash(view.root().path(), path, deadline);
    let hash = hash.map_or_else(|| "no hash".to_owned(), |hash| format!("sha256 {hash}"));
    let why = if finding.summary.is_empty() { "" } else { "; " };
    finding.summary = format!("not read: {} bytes, {hash}{why}{}", file.bytes, finding.summary);
}

/// The beginning of the content's hash; `None` if it cannot be read, is too large, or the deadline has passed.
fn hash(root: &Path, path: &str, deadline: &Deadline) -> Option<String> {
    let mut file = Beneath::of(root).open(path).ok()?.take(HASHED_MAX + 1);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut length = 0;
    loop {
        let read = file.read(&mut chunk).ok()?;
        length += read as u64;
        if read == 0 {
            break;
        }
        if deadline.passed() || length > HASHED_MAX {
            return None;
        }
        hash.update(&chunk[..read]);
    }
    Some(hash.finalize().iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect())
}
