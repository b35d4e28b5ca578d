//! A provider's key. It can only be sent: it has no text form, not even for debugging.

use std::fmt;

use http::HeaderValue;
use zeroize::Zeroizing;

/// A key, wiped from memory when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

/// Why a text cannot be a key. The text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// Nothing but white space.
    #[error("the key is empty")]
    Empty,
    /// It contains white space, or a character that is invalid in a header.
    #[error("the key has characters that no key has")]
    Characters,
}

impl Key {
    /// Creates a key; white space around it is removed, because it is often pasted with a newline.
    ///
    /// # Errors
    /// [`InvalidKey::Empty`] and [`InvalidKey::Characters`] for a text that is invalid in a header.
    pub fn new(text: String) -> Result<Self, InvalidKey> {
        let text = Zeroizing::new(text);
        let key = text.trim();
        if key.is_empty() {
            return Err(InvalidKey::Empty);
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidKey::Characters);
        }
        Ok(Self(Zeroizing::new(key.to_owned())))
    }

    /// The key after `scheme`, as a header that is never logged.
    pub(crate) fn header(&self, scheme: &str) -> HeaderValue {
        let text = Zeroizing::new(format!("{scheme}{}", &*self.0));
        let mut value = HeaderValue::from_str(&text).expect("a key is of graphic characters");
        value.set_sensitive(true);
        value
    }

    /// The text to be masked in all output.
    pub(crate) fn secret(&self) -> String {
        (*self.0).clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key")
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidKey, Key};

    #[test]
    fn a_key_has_no_text_form() {
        let key = Key::new(" sk-planted-0123456789\n".into()).unwrap();
        assert_eq!(format!("{key:?}"), "Key");
        let header = key.header("Bearer ");
        assert_eq!(header, "Bearer sk-planted-0123456789");
        assert_eq!(format!("{header:?}"), "Sensitive");
    }

    #[test]
    fn what_no_header_takes_is_refused_and_not_repeated() {
        assert_eq!(Key::new(" \n".into()).unwrap_err(), InvalidKey::Empty);
        for text in ["sk a", "sk\r\nx-other: 1", "密钥"] {
            let error = Key::new(text.into()).unwrap_err();
            assert_eq!(error, InvalidKey::Characters);
            assert!(!error.to_string().contains(text));
        }
    }
}
