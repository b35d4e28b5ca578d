//! Identifiers: ours (UUID v7, ordered by time) and Codex's thread id. They have no other meaning.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// A text that is not a UUID in its hyphenated form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a UUID such as 0199a213-81c0-7800-8aa1-bbab2a035a53")]
pub struct InvalidId {
    /// The given text, truncated to 80 characters.
    pub text: String,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// The id as a UUID.
            #[must_use]
            pub fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse(text).map(Self)
            }
        }

        /// Only the hyphenated form, as in [`FromStr`].
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(formatter)
            }
        }
    };
}

id! {
    /// One advisory dialogue of at most two rounds; made by the bridge.
    SessionId
}
id! {
    /// The durable record of one accepted request and its outcome; made by the bridge.
    RunId
}
id! {
    /// Codex's id of a thread, taken from `thread.started`.
    ///
    /// Parsed before every use: `codex exec resume` with a malformed id silently starts a new
    /// thread and exits 0 (codex 0.169).
    ThreadId
}
id! {
    /// Codex's id of one turn of a thread, as reported by its app-server.
    TurnId
}

impl SessionId {
    /// A new id, ordered after all ids that this process made before.
    #[must_use]
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl RunId {
    /// A new id, ordered after all ids that this process made before.
    #[must_use]
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

/// Accepts only the hyphenated form: Codex and this bridge never print the braced, simple and URN forms of the
/// `uuid` crate.
fn parse(text: &str) -> Result<Uuid, InvalidId> {
    let invalid = || InvalidId { text: text.chars().take(80).collect() };
    if text.len() != 36 {
        return Err(invalid());
    }
    Uuid::try_parse(text).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let text = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        assert_eq!(text.parse::<ThreadId>().unwrap().to_string(), text);
        assert_eq!(text.to_uppercase().parse::<ThreadId>().unwrap().to_string(), text);
        for bad in [
            "",
            "latest",
            "0199a21381c078008aa1bbab2a035a53",
            "{0199a213-81c0-7800-8aa1-bbab2a035a53}",
        ] {
            assert!(bad.parse::<ThreadId>().is_err(), "{bad}");
            assert!(serde_json::from_value::<ThreadId>(bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn generated_ids_are_ordered() {
        let ids: Vec<RunId> = (0..1000).map(|_| RunId::generate()).collect();
        assert!(ids.is_sorted());
    }
}
