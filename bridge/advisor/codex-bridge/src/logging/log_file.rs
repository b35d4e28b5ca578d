//! Where the log goes: standard error, and where that leads to a file of ours, a file that begins anew
//! when it is full. One old file is kept, so that an unattended daemon does not fill the disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::OFlags;

/// The most that one file holds, in bytes: some thirty thousand requests.
const FILE_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// What the old file's name ends with.
const OLD_SUFFIX: &str = ".old";

/// A writer to the log. Clones write to the same place.
#[derive(Debug, Clone)]
pub(super) struct LogWriter(Option<Arc<LogFile>>);

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    /// What the file holds by now, in bytes; the lock keeps lines whole while the file changes.
    written: Mutex<u64>,
}

impl LogWriter {
    /// Standard error as it is.
    pub(super) fn stderr() -> Self {
        Self(None)
    }

    /// Standard error, which begins a new file at `path` when the one there is full. Where it leads
    /// elsewhere, as with a supervisor, it is left as it is.
    pub(super) fn file(path: &Path) -> Self {
        let held = held_by_stderr(path);
        Self(held.map(|bytes| Arc::new(LogFile { path: path.to_owned(), written: bytes.into() })))
    }
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = &self.0 else { return io::stderr().write(bytes) };
        let mut written = file.written.lock().unwrap_or_else(PoisonError::into_inner);
        let more = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if *written > 0 && written.saturating_add(more) > FILE_MAX_BYTES {
            // Where it cannot be done, the log goes on as it is, and it is tried again when as much
            // has been written once more.
            let _ = file.begin_anew();
            *written = 0;
        }
        let taken = io::stderr().write(bytes)?;
        *written = written.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl LogFile {
    /// Moves the file aside and leads both output streams to a new one. No link is followed.
    fn begin_anew(&self) -> io::Result<()> {
        // Another daemon that tried to start may have done it.
        if held_by_stderr(&self.path).is_some() {
            let mut old = self.path.clone().into_os_string();
            old.push(OLD_SUFFIX);
            fs::rename(&self.path, old)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600);
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let file = options.open(&self.path)?;
        rustix::stdio::dup2_stdout(&file)?;
        Ok(rustix::stdio::dup2_stderr(&file)?)
    }
}

/// How much the file at `path` holds, if it is the one that standard error leads to.
fn held_by_stderr(path: &Path) -> Option<u64> {
    let stderr = rustix::fs::fstat(rustix::stdio::stderr()).ok()?;
    let named = fs::symlink_metadata(path).ok()?;
    let is_same = (named.dev(), named.ino()) == (stderr.st_dev, stderr.st_ino);
    (named.is_file() && is_same).then_some(named.len())
}
