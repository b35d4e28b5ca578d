//! Enums whose values are words on the wire: one table gives the words, the list of values, and the parser.

/// A text that is not a word of its enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {expected}, found {found:?}")]
pub struct UnknownWord {
    /// The valid words, separated by commas.
    pub expected: String,
    /// The given text, truncated to 80 characters.
    pub found: String,
}

impl UnknownWord {
    /// The error for a text that is not in `words`.
    pub(crate) fn new(words: impl Iterator<Item = &'static str>, text: &str) -> Self {
        let expected = words.collect::<Vec<_>>().join(", ");
        Self { expected, found: text.chars().take(80).collect() }
    }
}

/// Declares an enum by its table of variants and words, and derives everything that depends on the table.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$each])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All values, in the order of the contract.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::word::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|value| value.as_str() == text);
                found.ok_or_else(|| {
                    let words = Self::ALL.iter().map(|value| value.as_str());
                    $crate::word::UnknownWord::new(words, text)
                })
            }
        }
    };
}

pub(crate) use words;
