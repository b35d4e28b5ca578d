//! The tokens, one of which every caller has to send, as they lie in their private files. Reads them;
//! making and rotating them is the daemon's.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::environment;
use crate::secret::Secret;

/// What a token is good for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rights {
    /// Asking the advisor, which executes nothing.
    #[default]
    Advisor,
    /// That, and turns of the user's own Codex, which reads what the user can read.
    Orchestrate,
}

impl Rights {
    /// The token file's name within the state folder.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Advisor => "token",
            Self::Orchestrate => "token-orchestrate",
        }
    }

    /// The environment variable that holds the token in place of the file.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Self::Advisor => environment::TOKEN,
            Self::Orchestrate => environment::ORCHESTRATE_TOKEN,
        }
    }
}

/// Shortest token that is accepted, in characters: 32 hexadecimal digits are 128 bits.
pub const LEAST_CHARS: usize = 32;

/// Longest token file that is read, in bytes.
const FILE_MAX_BYTES: u64 = 4096;

/// Why there is no token. The daemon does not start without one, and no client can ask without.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There is no token file.
    #[error("there is no token file {}; `codex-bridge token` makes one", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// The file is a link: whoever made it decides what is read.
    #[error("the token file {} is a symbolic link; remove it and run `codex-bridge token`", path.display())]
    Link {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder or a device.
    #[error("the token file {} is not a regular file; remove it and run `codex-bridge token`", path.display())]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to another user.
    #[error("the token file {} belongs to user {owner}; remove it and run `codex-bridge token`", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Other users may read or write the file.
    #[error("other users may open the token file {} (mode {mode:03o}); run `chmod 600 {}`, and `codex-bridge token --rotate` if they may have read it", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file is empty, too short or holds something else.
    #[error("the token file {} does not hold at least {LEAST_CHARS} visible ASCII characters; run `codex-bridge token --rotate`", path.display())]
    Weak {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read or written.
    #[error("the token file {} cannot be used", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// One token would do for both.
    #[error(
        "the token for `/orchestrate` is the advisor's, which would then be good for both; give it another, or leave it out to have one made"
    )]
    Same,
    /// The system gave no random bytes to make one of.
    #[error("the system gave no random bytes")]
    NoRandomness(#[source] io::Error),
}

/// Whether a text is long and plain enough to be a token.
#[must_use]
pub fn is_strong(text: &str) -> bool {
    text.len() >= LEAST_CHARS && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Where a token lies when it is not configured.
#[must_use]
pub fn path(state_dir: &Path, rights: Rights) -> PathBuf {
    state_dir.join(rights.file_name())
}

/// Reads and judges the file. What is judged is what was opened.
///
/// # Errors
/// [`TokenError`], by cause; [`TokenError::NoRandomness`] never.
pub fn read(path: &Path) -> Result<Secret, TokenError> {
    let path_buf = || path.to_owned();
    let unusable = |source| TokenError::Unusable { path: path_buf(), source };
    // NONBLOCK: opening a named pipe must not wait for its writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Err(TokenError::Absent { path: path_buf() }),
        Err(rustix::io::Errno::LOOP) => return Err(TokenError::Link { path: path_buf() }),
        Err(errno) => return Err(unusable(errno.into())),
    };
    let metadata = file.metadata().map_err(unusable)?;
    let mode = metadata.mode() & 0o777;
    if !metadata.is_file() {
        return Err(TokenError::NotAFile { path: path_buf() });
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(TokenError::Foreign { path: path_buf(), owner: metadata.uid() });
    }
    if mode & 0o077 != 0 {
        return Err(TokenError::Open { path: path_buf(), mode });
    }
    let mut bytes = Vec::new();
    file.take(FILE_MAX_BYTES).read_to_end(&mut bytes).map_err(unusable)?;
    match std::str::from_utf8(&bytes).map(str::trim) {
        Ok(text) if is_strong(text) => Ok(Secret::new(text.to_owned())),
        Ok(_) | Err(_) => Err(TokenError::Weak { path: path_buf() }),
    }
}
