//! A provider's key. It is sent and nothing else: it has no text form, not even for debugging.

use std::fmt;

use http::HeaderValue;
use zeroize::Zeroizing;

/// A key, wiped from memory when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

/// A text that cannot be a key. It is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// Nothing but white space.
    #[error("the key is empty")]
    Empty,
    /// It has white space inside, or a character that no header takes.
    #[error("the key has characters that no key has")]
    Characters,
}

impl Key {
    /// Takes a key, without white space around it: it is often pasted with a line end.
    ///
    /// # Errors
    /// [`InvalidKey::Empty`] and [`InvalidKey::Characters`] for what no header can carry.
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

    /// The key behind `scheme`, as a header that is never written to a log.
    pub(crate) fn header(&self, scheme: &str) -> HeaderValue {
        let text = Zeroizing::new(format!("{scheme}{}", &*self.0));
        let mut value = HeaderValue::from_str(&text).expect("a key is of graphic characters");
        value.set_sensitive(true);
        value
    }

    /// What has to be masked wherever it surfaces.
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
