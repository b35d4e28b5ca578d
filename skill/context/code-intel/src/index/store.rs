//! The folder of one index: read and replace its files, one writer at a time. What the files say is
//! not known here.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use host::Beneath;
use intent::index_folder::IndexFolder;
pub(crate) use intent::index_folder::WORDS;

use super::manifest::Manifest;
use super::segment::Segment;
use crate::deadline::Deadline;

pub(crate) const MANIFEST: &str = "manifest";
pub(crate) const LOCK: &str = "lock";
/// What the names of segments end with.
pub(crate) const SEGMENT: &str = ".segment";
/// How exactly the time of an index's last use is kept: by the manifest's time of change.
const USED_EVERY: Duration = Duration::from_secs(3_600);
/// How often a reader starts again because a writer removed what it was about to read.
const READ_ATTEMPTS: usize = 5;

/// The folder of one root's index.
pub(crate) struct Store {
    folder: IndexFolder,
    root: String,
}

/// The manifest with its segments.
pub(crate) struct Snapshot {
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Segment>,
}

/// The right to write; given back on drop and when the process ends, however it ends.
pub(crate) struct Writing(#[expect(dead_code, reason = "holds the lock while it lives")] File);

impl Store {
    /// The store below `cache` for the folder `root`.
    pub(crate) fn new(cache: &Path, root: &Path) -> Self {
        Self { folder: IndexFolder::new(cache, root), root: root.to_string_lossy().into_owned() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder as those know it who want no more of it than the repository's words.
    pub(crate) fn index_folder(&self) -> &IndexFolder {
        &self.folder
    }

    pub(crate) fn beneath(&self) -> Beneath {
        self.folder.beneath()
    }

    /// What is there; `None` when nothing is, or when anything of it is damaged.
    pub(crate) fn read(&self) -> Option<Snapshot> {
        self.folder.check().ok()?;
        (0..READ_ATTEMPTS).find_map(|_| self.try_read().ok()).flatten()
    }

    /// `Err` when a segment is gone: then a writer was at work, and the next attempt sees the new state.
    fn try_read(&self) -> Result<Option<Snapshot>, io::Error> {
        let Ok(bytes) = self.read_manifest() else { return Ok(None) };
        let Some(manifest) = Manifest::decode(&bytes, &self.root) else { return Ok(None) };
        let mut segments = Vec::new();
        for part in &manifest.segments {
            match Segment::open(fs::read(self.folder().join(&part.file))?) {
                Some(segment) => segments.push(segment),
                None => return Ok(None),
            }
        }
        Ok(Some(Snapshot { manifest, segments }))
    }

    /// The manifest's bytes. Its time says when the index was last used.
    fn read_manifest(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.folder().join(MANIFEST))?;
        let now = SystemTime::now();
        let age = now.duration_since(file.metadata()?.modified()?);
        if age.is_ok_and(|age| age >= USED_EVERY) {
            // On a disk that is read-only, an index is only used until it is dropped.
            let _ = file.set_modified(now);
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Waits for the right to write; `None` when another has it until the time is over.
    ///
    /// # Errors
    /// When the folder cannot be made or the lock not be opened.
    pub(crate) fn lock(&self, deadline: &Deadline) -> io::Result<Option<Writing>> {
        self.folder.check()?;
        let mut lock = self.open_lock()?;
        loop {
            match host::lock_while(&lock, || deadline.remaining()) {
                Ok(()) if self.is_in_place(&lock) => return Ok(Some(Writing(lock))),
                // The index was dropped while this one waited, and its lock with it.
                Ok(()) => lock = self.open_lock()?,
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    fn open_lock(&self) -> io::Result<File> {
        loop {
            self.beneath().make("")?;
            let path = self.folder().join(LOCK);
            match File::options().create(true).truncate(false).write(true).open(path) {
                // The folder was dropped in between.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
    }

    /// Whether this is the lock that others will look at.
    fn is_in_place(&self, lock: &File) -> bool {
        let named = fs::symlink_metadata(self.folder().join(LOCK));
        matches!((named, lock.metadata()), (Ok(named), Ok(held))
            if (named.dev(), named.ino()) == (held.dev(), held.ino()))
    }

    /// Writes a segment, and returns the name of its file. It does not count before the manifest
    /// says so.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_segment(
        &self,
        generation: u64,
        bytes: &[u8],
        _: &Writing,
    ) -> io::Result<String> {
        let name = format!("{generation:016x}-{:08x}{SEGMENT}", std::process::id());
        self.beneath().replace(&name, bytes)?;
        Ok(name)
    }

    /// Makes this manifest the one that counts, and removes what no longer does.
    ///
    /// # Errors
    /// When it cannot be written; then the old one still counts.
    pub(crate) fn write_manifest(&self, manifest: &Manifest, _: &Writing) -> io::Result<()> {
        self.beneath().replace(MANIFEST, &manifest.encode())?;
        for entry in fs::read_dir(self.folder())?.flatten() {
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let counts = [MANIFEST, LOCK, WORDS].contains(&name)
                || manifest.segments.iter().any(|part| part.file == name);
            if !counts {
                // What cannot be removed now is removed by the next writer.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}
