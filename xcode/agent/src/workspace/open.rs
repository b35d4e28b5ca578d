//! Opens the exact path that was judged: no link is followed, and no pipe blocks.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use host::{Beneath, Link};

/// The largest file that is read or written whole, in bytes. Source files are far smaller; a search reads in parts
/// and has no such limit.
const SIZE_MAX: u64 = 64 << 20;

/// Why a path is not read or written.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It does not exist.
    Missing,
    /// It is a folder.
    Folder,
    /// It is neither file nor folder; with the name of its type.
    Special(&'static str),
    /// A part of the path is a file.
    ThroughFile,
    /// There is a link in the path that did not exist when it was judged.
    Moved,
    /// It is larger than [`SIZE_MAX`], by its size in bytes.
    TooLarge(u64),
    /// The user has no permission.
    NotPermitted,
    /// Its mode forbids writing.
    ReadOnly,
    /// Its owner, group or access list could not be preserved.
    Owner,
    /// Another program holds a lock on it.
    Locked,
    /// It has changed since it was opened.
    Changed,
    /// The call was cancelled before anything was changed.
    Stopped,
    /// Another error of the file system.
    Failed(io::Error),
}

/// A plain file that is open for reading.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    /// Its metadata when it was opened.
    pub(crate) metadata: Metadata,
}

/// Access to everything below `/`, without following links.
pub(crate) fn top() -> Beneath {
    Beneath::of("/")
}

/// An absolute path relative to [`top`].
pub(crate) fn below_top(real: &Path) -> &Path {
    real.strip_prefix("/").unwrap_or(real)
}

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
}

/// Examines a path without links; anything other than a folder or a file is a fault.
pub(crate) fn kind(real: &Path) -> Result<Kind, Fault> {
    let path = below_top(real);
    if path.as_os_str().is_empty() {
        return Ok(Kind::Folder);
    }
    let found = top().metadata(path)?.file_type();
    if found.is_dir() {
        Ok(Kind::Folder)
    } else if found.is_file() {
        Ok(Kind::File)
    } else if found.is_symlink() {
        Err(Fault::Moved)
    } else if found.is_fifo() {
        Err(Fault::Special("a fifo"))
    } else if found.is_socket() {
        Err(Fault::Special("a socket"))
    } else {
        Err(Fault::Special("a device"))
    }
}

/// Opens the plain file at a path without links.
pub(crate) fn open(real: &Path) -> Result<Opened, Fault> {
    if kind(real)? == Kind::Folder {
        return Err(Fault::Folder);
    }
    let file = top().open(below_top(real))?;
    let metadata = file.metadata()?;
    Ok(Opened { file, metadata })
}

impl Opened {
    /// Reads the whole file.
    pub(crate) fn read(&mut self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::with_capacity(self.metadata.len().min(SIZE_MAX) as usize);
        self.file.by_ref().take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > SIZE_MAX {
            return Err(Fault::TooLarge(self.metadata.len()));
        }
        Ok(bytes)
    }
}

impl Fault {
    /// The message to the model, with the path for display.
    pub(crate) fn told(&self, shown: &str) -> String {
        match self {
            Self::Missing => format!("{shown} does not exist."),
            Self::Folder => {
                format!("{shown} is a folder, not a file; listDir shows what is in it.")
            }
            Self::Special(kind) => format!("{shown} is {kind}, not a file; it is not touched."),
            Self::ThroughFile => format!("{shown} cannot exist: a part of its path is a file."),
            Self::Moved => format!(
                "{shown} is not touched: a link in its path was made after the call was judged, or leads \
                 in a circle."
            ),
            Self::TooLarge(bytes) => format!(
                "{shown} is too large: {bytes} bytes, at most {SIZE_MAX} are read or written. Use grep, or \
                 shell for a part of it."
            ),
            Self::NotPermitted => format!("{shown}: permission denied by the file system."),
            Self::ReadOnly => format!("{shown} is read-only by its mode; it is not changed."),
            Self::Owner => format!(
                "{shown} is not changed: its owner, group or access list could not be kept."
            ),
            Self::Locked => {
                format!("{shown} is being changed by another program; read it again.")
            }
            Self::Changed => format!("{shown} changed since it was read; read it again."),
            Self::Stopped => format!("{shown} is not changed: the call was cancelled."),
            Self::Failed(error) => format!("{shown}: {error}."),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if error.get_ref().is_some_and(|inner| inner.is::<Link>()) {
            return Self::Moved;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::NotADirectory => Self::ThroughFile,
            io::ErrorKind::PermissionDenied => Self::NotPermitted,
            io::ErrorKind::IsADirectory => Self::Folder,
            _ => Self::Failed(error),
        }
    }
}
