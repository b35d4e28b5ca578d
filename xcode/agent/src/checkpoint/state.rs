//! What is at a path: looked at without following a link, its content kept in a store of our own.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use host::Beneath;
use sha2::{Digest as _, Sha256};

use crate::workspace::open::{Fault, below_top, open, top};

/// The largest file whose content is kept, in bytes; sources are far below it.
const FILE_MAX: u64 = 16 << 20;

/// How much is kept in one session at most, in bytes.
const KEPT_MAX: u64 = 512 << 20;

/// For how long after a change the time of a file does not tell of another one; a tick of the kernel is shorter.
const TICK: Duration = Duration::from_millis(50);

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Folder,
    Link(PathBuf),
    /// A file: the digest of its content, and its mode.
    File {
        content: Content,
        mode: u32,
    },
    /// A file that is too large to be kept, by what tells of a change.
    Large(Stamp),
}

/// A digest, in hexadecimal digits.
pub(super) type Content = String;

/// Device, number, size, and the times of the last changes.
pub(super) type Stamp = [i64; 7];

/// Whether what is read is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// Looks at paths, and keeps what they hold.
pub(super) struct Store {
    /// `~/.xcode`.
    home: Beneath,
    /// The session's folder in it.
    folder: PathBuf,
    /// Digests by path, as long as the file is as it was.
    known: HashMap<PathBuf, (Stamp, Content)>,
    /// What lies in the folder, and how much that is.
    kept: HashSet<Content>,
    kept_bytes: u64,
}

impl Store {
    pub(super) fn new(home: Beneath, folder: PathBuf) -> Self {
        Self { home, folder, known: HashMap::new(), kept: HashSet::new(), kept_bytes: 0 }
    }

    /// Where everything of this program's own lies.
    pub(super) fn home(&self) -> PathBuf {
        self.home.path()
    }

    /// What is at `path`; none where there is nothing that is kept.
    pub(super) fn look(&mut self, path: &Path, keep: Keep) -> io::Result<Option<State>> {
        let metadata = match top().metadata(below_top(path)) {
            Ok(metadata) => metadata,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            return Ok(Some(State::Folder));
        }
        if kind.is_symlink() {
            return Ok(Some(State::Link(std::fs::read_link(path)?)));
        }
        if !kind.is_file() {
            return Ok(None);
        }
        let stamp = stamp(&metadata);
        if metadata.len() > FILE_MAX {
            return Ok(Some(State::Large(stamp)));
        }
        let mode = metadata.mode() & 0o7777;
        if let Some((known, content)) = self.known.get(path)
            && *known == stamp
            && (keep == Keep::No || self.kept.contains(content))
        {
            return Ok(Some(State::File { content: content.clone(), mode }));
        }
        let bytes = match open(path).and_then(|mut opened| opened.read()) {
            Ok(bytes) => bytes,
            Err(Fault::Missing) => return Ok(None),
            Err(_) => return Ok(Some(State::Large(stamp))),
        };
        let content = digest(&bytes);
        if keep == Keep::Yes {
            self.keep(&content, &bytes)?;
        }
        // A change in the same tick would not be told by its time.
        let changed = UNIX_EPOCH + Duration::from_secs(metadata.ctime().max(0).cast_unsigned());
        let is_old = SystemTime::now()
            .duration_since(changed)
            .is_ok_and(|ago| ago > TICK + Duration::from_secs(1));
        if is_old {
            self.known.insert(path.to_owned(), (stamp, content.clone()));
        } else {
            self.known.remove(path);
        }
        Ok(Some(State::File { content, mode }))
    }

    /// The content of a file that was kept.
    pub(super) fn content(&self, content: &str) -> io::Result<Vec<u8>> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        self.home.open(self.folder.join(content))?.read_to_end(&mut bytes)?;
        match digest(&bytes) == content {
            true => Ok(bytes),
            false => Err(io::Error::other("what was kept of it is damaged")),
        }
    }

    fn keep(&mut self, content: &str, bytes: &[u8]) -> io::Result<()> {
        if self.kept.contains(content) {
            return Ok(());
        }
        self.kept_bytes += bytes.len() as u64;
        if self.kept_bytes > KEPT_MAX {
            return Err(io::Error::other("there is too much to keep"));
        }
        self.home.replace(self.folder.join(content), bytes)?;
        self.kept.insert(content.to_owned());
        Ok(())
    }
}

impl Drop for Store {
    /// What was kept is of use to this session only.
    fn drop(&mut self) {
        for content in &self.kept {
            let _ = self.home.remove(self.folder.join(content));
        }
        let _ = std::fs::remove_dir(self.home.path().join(&self.folder));
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn digest(bytes: &[u8]) -> Content {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    [
        metadata.dev().cast_signed(),
        metadata.ino().cast_signed(),
        metadata.size().cast_signed(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}
