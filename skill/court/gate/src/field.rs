//! A word after expansion.

/// Stands for text that is only known at run time: a private-use character, so that input that
/// contains it is merely taken as unknown.
pub(crate) const UNKNOWN: char = '\u{E000}';

/// Where a text comes from, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taint {
    /// From the network.
    pub(crate) network: bool,
    /// From a file or a command that gives secrets.
    pub(crate) secret: bool,
    /// From a file outside the project: of the system, or of the user.
    pub(crate) outside: bool,
}

impl Taint {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            network: self.network || other.network,
            secret: self.secret || other.secret,
            outside: self.outside || other.outside,
        }
    }
}

/// A word after expansion, with [`UNKNOWN`] where it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) text: String,
    /// It has pattern characters that are not quoted.
    pub(crate) glob: bool,
    pub(crate) taint: Taint,
}

impl Field {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn unknown() -> Self {
        Self::new(&UNKNOWN.to_string())
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }

    /// An option: it begins with a dash and is more than one.
    pub(crate) fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }
}
