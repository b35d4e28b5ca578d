//! The folder of one index: reads and replaces its files, with one writer at a time. The content of the files
//! is not known here.

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
/// Extension of segments.
pub(crate) const SEGMENT: &str = ".segment";
/// Precision of an index's last use, which is stored as the manifest's modification time.
const USED_EVERY: Duration = Duration::from_secs(3_600);
/// How often a reader retries because a writer removed a file that it was about to read.
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

/// The write lock; released on drop and when the process ends.
pub(crate) struct Writing(#[expect(dead_code, reason = "holds the lock while it lives")] File);

impl Store {
    /// The store below `cache` for the folder `root`.
    pub(crate) fn new(cache: &Path, root: &Path) -> Self {
        Self { folder: IndexFolder::new(cache, root), root: root.to_string_lossy().into_owned() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder for users who only need the repository's words.
    pub(crate) fn index_folder(&self) -> &IndexFolder {
        &self.folder
    }

    pub(crate) fn beneath(&self) -> Beneath {
        self.folder.beneath()
    }

    /// The current state; `None` if there is none, or any part of it is damaged.
    pub(crate) fn read(&self) -> Option<Snapshot> {
        self.folder.check().ok()?;
        (0..READ_ATTEMPTS).find_map(|_| self.try_read().ok()).flatten()
    }

    /// `Err` if a segment is gone: a writer was active, and the next attempt sees the new state.
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

    /// The manifest's bytes. Updates its time, which records the last use of the index.
    fn read_manifest(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.folder().join(MANIFEST))?;
        let now = SystemTime::now();
        let age = now.duration_since(file.metadata()?.modified()?);
        if age.is_ok_and(|age| age >= USED_EVERY) {
            // On a read-only disk, the time is not updated.
            let _ = file.set_modified(now);
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Waits for the write lock; `None` if another process holds it until the deadline.
    ///
    /// # Errors
    /// The folder cannot be created or the lock cannot be opened.
    pub(crate) fn lock(&self, deadline: &Deadline) -> io::Result<Option<Writing>> {
        self.folder.check()?;
        let mut lock = self.open_lock()?;
        loop {
            match host::lock_while(&lock, || deadline.remaining()) {
                Ok(()) if self.is_in_place(&lock) => return Ok(Some(Writing(lock))),
                // The index was removed while this process waited, and its lock with it.
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
                // The folder was removed in between.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
    }

    /// Whether this is the lock file that other processes open.
    fn is_in_place(&self, lock: &File) -> bool {
        let named = fs::symlink_metadata(self.folder().join(LOCK));
        matches!((named, lock.metadata()), (Ok(named), Ok(held))
            if (named.dev(), named.ino()) == (held.dev(), held.ino()))
    }

    /// Writes a segment, and returns the name of its file. It is not valid until the manifest
    /// lists it.
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

    /// Writes the manifest, and removes files that it does not list.
    ///
    /// # Errors
    /// It cannot be written; the old one is still valid.
    pub(crate) fn write_manifest(&self, manifest: &Manifest, _: &Writing) -> io::Result<()> {
        self.beneath().replace(MANIFEST, &manifest.encode())?;
        for entry in fs::read_dir(self.folder())?.flatten() {
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let counts = [MANIFEST, LOCK, WORDS].contains(&name)
                || manifest.segments.iter().any(|part| part.file == name);
            if !counts {
                // A file that cannot be removed now is removed by the next writer.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}
