//! The project of a request: the folder by which runs are separated.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The header with the project's folder, percent-encoded. A request with it sees the runs and sessions of that
/// project only; a request without it sees all.
pub const WORKSPACE_HEADER: &str = "codex-bridge-workspace";

/// Maximum length of the path in bytes (Linux: `PATH_MAX`).
const PATH_MAX: usize = 4096;

/// An absolute folder path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workspace(String);

impl Workspace {
    /// The workspace of a folder, if the path is absolute and not too long.
    #[must_use]
    pub fn of(folder: &Path) -> Option<Self> {
        let text = folder.to_string_lossy();
        let fits = folder.is_absolute() && text.len() <= PATH_MAX && !text.contains('\0');
        fits.then(|| Self(text.into_owned()))
    }

    /// The folder as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Restores a workspace from the stored [`Workspace::as_str`].
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The value of the header: ASCII, everything but `/` and unreserved characters percent-encoded.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::with_capacity(self.0.len());
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                text.push(char::from(byte));
            } else {
                text.push_str(&format!("%{byte:02X}"));
            }
        }
        text
    }

    /// Decodes the result of [`Workspace::encode`].
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            let (byte, after) = match (*first, after) {
                (b'%', [high, low, after @ ..]) => (hex(*high)? << 4 | hex(*low)?, after),
                (b'%', _) => return None,
                (byte, after) => (byte, after),
            };
            bytes.push(byte);
            rest = after;
        }
        Self::of(Path::new(std::str::from_utf8(&bytes).ok()?))
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_the_header() {
        for path in ["/", "/home/me/my project", "/größe/100%/a%2Fb", "/a\n\u{1b}[31m'\"\\"] {
            let workspace = Workspace::of(Path::new(path)).unwrap();
            assert!(workspace.encode().bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
            assert_eq!(Workspace::decode(&workspace.encode()), Some(workspace));
        }
    }

    #[test]
    fn what_is_no_absolute_path_is_refused() {
        for text in ["", "relative", "/cut%2", "/cut%", "/%zz", "/%00", "/%ff"] {
            assert_eq!(Workspace::decode(text), None, "{text}");
        }
        assert_eq!(Workspace::decode(&format!("/{}", "a".repeat(PATH_MAX))), None);
    }
}
