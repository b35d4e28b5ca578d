//! Destination of the log: standard error. If that is our own log file, the file is rotated
//! when it is full; one old file is kept, so that an unattended daemon does not fill the disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::OFlags;

/// Maximum size of one file, in bytes: about thirty thousand requests.
const FILE_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Suffix of the old file.
const OLD_SUFFIX: &str = ".old";

/// A writer to the log. Clones share the destination.
#[derive(Debug, Clone)]
pub(super) struct LogWriter(Option<Arc<LogFile>>);

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    /// Current size of the file, in bytes; the lock keeps lines whole during rotation.
    written: Mutex<u64>,
}

impl LogWriter {
    /// Standard error without rotation.
    pub(super) fn stderr() -> Self {
        Self(None)
    }

    /// Standard error, rotated if it is the file at `path`. If it is something
    /// else, as with a supervisor, it is left unchanged.
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
            // If rotation fails, logging continues in the same file, and rotation is tried again after as much
            // has been written again.
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
    /// Renames the file and redirects both output streams to a new one. Follows no link.
    fn begin_anew(&self) -> io::Result<()> {
        // Another daemon that tried to start may have rotated already.
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

/// Size of the file at `path`, if standard error refers to it.
fn held_by_stderr(path: &Path) -> Option<u64> {
    let stderr = rustix::fs::fstat(rustix::stdio::stderr()).ok()?;
    let named = fs::symlink_metadata(path).ok()?;
    let is_same = (named.dev(), named.ino()) == (stderr.st_dev, stderr.st_ino);
    (named.is_file() && is_same).then_some(named.len())
}
