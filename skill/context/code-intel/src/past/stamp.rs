//! A number that changes when HEAD moves, computed from a few small files of the git folder without running git.
//! Forged content there can at most cause one unnecessary update of the history.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use crate::index::draft::content_hash;

/// How much of such a file is read, in bytes: a commit hash, or the name of a branch.
const READ_MAX: u64 = 4 << 10;

/// The stamp of the repository around `root`; none when there is no repository that belongs to this user.
pub(super) fn of_head(root: &Path) -> Option<u64> {
    let top = host::own::repository_around(root)?;
    let git = host::own::git_folder(top)?;
    let mut seen = Vec::new();
    let head = read(&git.join("HEAD"))?;
    seen.extend_from_slice(&head);
    // A linked work tree has its own HEAD, and shares the branches.
    let shared = match read(&git.join("commondir")) {
        Some(path) => git.join(line(&path)?),
        None => git,
    };
    let branch = head.strip_prefix(b"ref: ").and_then(line);
    let branch = branch.filter(|name| name.starts_with("refs/") && !name.contains(".."));
    match branch.and_then(|name| read(&shared.join(name))) {
        Some(commit) => seen.extend_from_slice(&commit),
        None => seen.extend(["packed-refs", "reftable/tables.list"].into_iter().flat_map(|name| {
            // The file may be large, so its time and size are used.
            let found = std::fs::symlink_metadata(shared.join(name)).ok();
            let found = found.map(|it| [it.mtime(), it.mtime_nsec(), it.size().cast_signed()]);
            found.unwrap_or_default().into_iter().flat_map(i64::to_le_bytes)
        })),
    }
    // A shallow clone may be completed later.
    seen.extend(read(&shared.join("shallow")).unwrap_or_default());
    Some(content_hash(&seen))
}

fn line(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()?.lines().next().map(str::trim_end)
}

/// The beginning of a plain file. The call does not block.
fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(READ_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
