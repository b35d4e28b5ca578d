//! The host name of the pages: a separate one for each state folder.
//!
//! Cookies do not distinguish ports. Under `127.0.0.1` or `localhost` every server of this machine would get the
//! pages' cookie; under a separate name only they do. Browsers resolve `*.localhost` themselves
//! (measured with Chromium), without DNS.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use host::{Access, Durability};

/// The file in the state folder that holds the name.
const FILE_NAME: &str = "window-name";

/// Prefix of each name.
const PREFIX: &str = "cb-";
const SUFFIX: &str = ".localhost";

/// Number of hexadecimal digits after the prefix.
const DIGITS: usize = 8;

/// A name such as `cb-1a2b3c4d.localhost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowName(String);

impl WindowName {
    /// The name of a state folder; created if it is missing or malformed.
    ///
    /// # Errors
    /// The file cannot be written, or the system has no randomness.
    pub fn ensure(state_dir: &Path) -> io::Result<Self> {
        let path = state_dir.join(FILE_NAME);
        if let Some(name) = read(&path).and_then(|text| Self::parse(text.trim_end())) {
            return Ok(name);
        }
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes)?;
        let name = Self(format!("{PREFIX}{:08x}{SUFFIX}", u32::from_be_bytes(bytes)));
        let line = format!("{}\n", name.0);
        host::replace(&path, line.as_bytes(), Access::PRIVATE, Durability::Synced)?;
        Ok(name)
    }

    /// The name as a host.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == DIGITS && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(64).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_state_folder_keeps_its_name_and_no_other_form_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let name = WindowName::ensure(folder.path()).unwrap();
        assert_eq!(WindowName::parse(name.as_str()), Some(name.clone()));
        assert_eq!(WindowName::ensure(folder.path()).unwrap(), name);
        assert_ne!(WindowName::ensure(other.path()).unwrap(), name);
        for wrong in [
            "",
            "localhost",
            "cb-.localhost",
            "cb-1234567.localhost",
            "cb-123456789.localhost",
            "cb-1234567G.localhost",
            "cb-ABCDEF12.localhost",
            "cb-12345678.localhost.evil.example",
            "evil.example",
        ] {
            fs::write(folder.path().join(FILE_NAME), wrong).unwrap();
            let made = WindowName::ensure(folder.path()).unwrap();
            assert_eq!(WindowName::parse(made.as_str()), Some(made.clone()), "{wrong}");
            assert_ne!(made.as_str(), wrong);
        }
    }
}
