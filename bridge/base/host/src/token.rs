//! Reads the tokens, one of which every caller has to send, from their private files. The daemon creates and
//! rotates them.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::environment;
use crate::secret::Secret;

/// What a token permits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rights {
    /// Requests to the advisor, which executes nothing.
    #[default]
    Advisor,
    /// Also turns of the user's own Codex, which can read what the user can read.
    Orchestrate,
}

impl Rights {
    /// The token's file name in the state folder.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Advisor => "token",
            Self::Orchestrate => "token-orchestrate",
        }
    }

    /// The environment variable with the token, used instead of the file.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Self::Advisor => environment::TOKEN,
            Self::Orchestrate => environment::ORCHESTRATE_TOKEN,
        }
    }
}

/// The form of a token, for people. Checked by [`is_token`].
pub const FORM: &str = "32 to 512 letters, digits and signs of `-._~+/=`";

/// Minimum length of a token, in characters: 32 hexadecimal digits are 128 bits.
const LEAST_CHARS: usize = 32;

/// Maximum length, in characters: a header could hold more, but a secret does not need it.
const MOST_CHARS: usize = 512;

/// Maximum size of a token file, in bytes.
const FILE_MAX_BYTES: u64 = 4096;

/// Why there is no token. Neither the daemon nor a client works without one.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There is no token file.
    #[error("there is no token file {}; `codex-bridge token` makes one", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// The file is a link, so whoever made it decides what is read.
    #[error("the token file {} is a symbolic link; remove it and run `codex-bridge token`", path.display())]
    Link {
        /// The file.
        path: PathBuf,
    },
    /// The path is not a regular file.
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
        /// The owner of the file.
        owner: u32,
    },
    /// Other users may read or write the file.
    #[error("other users may open the token file {} (mode {mode:03o}); run `chmod 600 {}`, and `codex-bridge token --rotate` if they may have read it", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file does not contain a token.
    #[error("the token file {} does not hold a token, which is {FORM}; `codex-bridge token --rotate` makes a new one", path.display())]
    NoToken {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read or written.
    #[error("the token file {} cannot be used", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Both tokens are the same.
    #[error(
        "the token for `/orchestrate` is the advisor's, which would then be good for both; give it another, or leave it out to have one made"
    )]
    Same,
    /// The system gave no random bytes to create one.
    #[error("the system gave no random bytes")]
    NoRandomness(#[source] io::Error),
}

/// Whether a text is a token: the single rule for the daemon and all clients, for files,
/// variables and credentials. Generated tokens have 43 of these characters; the signs are those that
/// RFC 6750 (section 2.1, `b64token`) allows in a bearer token. The user is responsible that a token
/// they chose cannot be guessed.
#[must_use]
pub fn is_token(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (LEAST_CHARS..=MOST_CHARS).contains(&text.len()) && text.bytes().all(is_sign)
}

/// The path of a token that is not configured.
#[must_use]
pub fn path(state_dir: &Path, rights: Rights) -> PathBuf {
    state_dir.join(rights.file_name())
}

/// Reads and checks the file. The checks apply to the opened file.
///
/// # Errors
/// [`TokenError`], by cause; [`TokenError::NoRandomness`] never.
pub fn read(path: &Path) -> Result<Secret, TokenError> {
    let path_buf = || path.to_owned();
    let unusable = |source| TokenError::Unusable { path: path_buf(), source };
    // NONBLOCK: opening a named pipe must not wait for a writer.
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
    file.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unusable)?;
    let is_whole = bytes.len() as u64 <= FILE_MAX_BYTES;
    match std::str::from_utf8(&bytes).map(str::trim) {
        Ok(text) if is_whole && is_token(text) => Ok(Secret::new(text.to_owned())),
        Ok(_) | Err(_) => Err(TokenError::NoToken { path: path_buf() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_form() {
        let long = "a".repeat(512);
        for token in ["0123456789abcdef0123456789abcdef", "-._~+/=-._~+/=-._~+/=-._~+/=ABCD", &long]
        {
            assert!(is_token(token), "{token}");
        }
        let longer = "a".repeat(513);
        for other in [
            "",
            "0123456789abcdef0123456789abcde",
            "0123456789abcdef 0123456789abcdef",
            "0123456789abcdef\n0123456789abcdef",
            "user:0123456789abcdef@0123456789abcdef",
            "token=\"0123456789abcdef0123456789abcdef\"",
            "0123456789abcdef0123456789abcdéf",
            "0123456789abcdef0123456789abcd\u{1b}[",
            &longer,
        ] {
            assert!(!is_token(other), "{other}");
        }
    }
}
