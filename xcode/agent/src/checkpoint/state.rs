//! The state of a path: examined without following links, with its content kept in a store of our own.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use host::Beneath;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::old;
use crate::workspace::open::{Fault, below_top, open, top};

/// The largest file whose content is stored, in bytes; source files are far smaller.
const FILE_MAX: u64 = 16 << 20;

/// How much is stored for one session at most, in bytes.
pub(super) const KEPT_MAX: u64 = 512 << 20;

/// For this time after a change, a file's timestamp may not show another change; a tick of the kernel is shorter.
const TICK: Duration = Duration::from_millis(50);

/// The state of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Folder,
    Link(#[serde(with = "super::path_bytes")] PathBuf),
    /// A file: the digest of its content, and its mode.
    File {
        content: Content,
        mode: u32,
    },
    /// A file that is too large to be stored, with the values that show a change.
    Large(Stamp),
}

/// A digest, in hexadecimal digits.
pub(super) type Content = String;

/// Device, inode number, size, and the times of the last changes.
pub(super) type Stamp = [i64; 7];

/// Whether the content that is read is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// Examines paths, and stores their content.
pub(super) struct Store {
    /// `~/.xcode`.
    home: Beneath,
    /// The session's folder in it.
    folder: PathBuf,
    /// Digests by path, valid as long as the file is unchanged.
    known: HashMap<PathBuf, (Stamp, Content)>,
    /// The sizes of the stored contents, by digest, and their sum.
    kept: HashMap<Content, u64>,
    kept_bytes: u64,
    /// Contents that are needed after this process; the rest is removed at its end.
    lasting: HashSet<Content>,
    /// The lock, held while this process uses the folder.
    lock: Option<File>,
}

impl Store {
    pub(super) fn new(home: Beneath, folder: PathBuf) -> Self {
        Self {
            home,
            folder,
            known: HashMap::new(),
            kept: HashMap::new(),
            kept_bytes: 0,
            lasting: HashSet::new(),
            lock: None,
        }
    }

    /// Locks the folder, and reads which contents an earlier process of this session stored in it.
    ///
    /// # Errors
    /// It cannot be created, or another process has locked it.
    pub(super) fn take(&mut self) -> io::Result<()> {
        let lock = self.home.lock_file(self.folder.join(old::LOCK))?;
        lock.try_lock()
            .map_err(|_| io::Error::other("another program keeps this session's files"))?;
        self.lock = Some(lock);
        for name in self.home.names(&self.folder)? {
            let Some(content) = name.to_str().filter(|name| is_content(name)) else { continue };
            let bytes = self.home.metadata(self.folder.join(content))?.len();
            self.kept.insert(content.to_owned(), bytes);
            self.kept_bytes += bytes;
        }
        Ok(())
    }

    /// Reads a file of the folder other than a content, up to `most` bytes; none if it is absent or larger.
    pub(super) fn read(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        use std::io::Read as _;
        let file = self.home.open(self.folder.join(name)).ok()?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most).then_some(bytes)
    }

    /// Writes a file of the folder other than a content, and sets the contents that are needed after this process.
    ///
    /// # Errors
    /// It cannot be written: nothing is kept after this process then.
    pub(super) fn write(
        &mut self,
        name: &str,
        bytes: &[u8],
        lasting: HashSet<Content>,
    ) -> io::Result<()> {
        self.lasting.clear();
        self.home.replace(self.folder.join(name), bytes)?;
        self.lasting = lasting;
        Ok(())
    }

    /// Removes expired checkpoints of other sessions.
    pub(super) fn clear_old(&self) {
        if let Some(all) = self.folder.parent() {
            old::clear(&self.home, all, &self.folder);
        }
    }

    /// The size of all stored contents, in bytes.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }

    /// Removes the contents that are not needed after this process.
    pub(super) fn prune(&mut self) {
        let Self { kept, lasting, .. } = self;
        let goes: Vec<Content> =
            kept.keys().filter(|content| !lasting.contains(*content)).cloned().collect();
        for content in goes {
            let _ = self.home.remove(self.folder.join(&content));
            self.kept_bytes -= self.kept.remove(&content).unwrap_or_default();
        }
    }

    /// The folder of all of this program's own files.
    pub(super) fn home(&self) -> PathBuf {
        self.home.path()
    }

    /// The state of `path`; none if there is nothing that is recorded.
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
            && (keep == Keep::No || self.kept.contains_key(content))
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
        // A further change within the same tick would not show in the timestamp.
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

    /// A stored content.
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
        if self.kept.contains_key(content) {
            return Ok(());
        }
        let size = bytes.len() as u64;
        if self.kept_bytes + size > KEPT_MAX {
            return Err(io::Error::other("there is too much to keep"));
        }
        self.home.replace(self.folder.join(content), bytes)?;
        self.kept_bytes += size;
        self.kept.insert(content.to_owned(), size);
        Ok(())
    }
}

impl Drop for Store {
    /// Contents that no recorded turn needs are of no use after this process.
    fn drop(&mut self) {
        if self.lock.is_none() {
            return;
        }
        self.prune();
        if self.lasting.is_empty() {
            old::remove(&self.home, &self.folder);
        }
    }
}

/// Whether a name has the form of a digest, so that a path made from it leads nowhere else.
pub(super) fn is_content(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
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
