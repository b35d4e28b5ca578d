//! What a token format is made of.

/// One token format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) kind: &'static str,
    /// Any of these, whatever their case, makes the pattern worth trying.
    pub(crate) keywords: &'static [&'static str],
    /// How many bytes before the keyword the token may begin, at most.
    pub(crate) before: usize,
    /// How many letters, digits and signs of `+/_-` stand right before the keyword, at least. Spares the search.
    pub(crate) lead: usize,
    /// How many token characters follow the keyword's first, at least. Spares the compilation.
    pub(crate) least: usize,
    /// Matched from the token's start. Group 1, where there is one, is the secret.
    pub(crate) pattern: &'static str,
    /// What the token's own characters must look like.
    pub(crate) check: Check,
    /// What one looks like: text as it stands, and `{a36}` for 36 drawn characters of a class. The
    /// entry's own test; see [`super::Format`].
    pub(crate) example: &'static str,
}

/// What is asked of a match beyond its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// No placeholder and no run of one character.
    Drawn,
    /// Also lower case, upper case and digits: the prefix alone is too common.
    Mixed,
    /// The pattern says it all.
    Pattern,
}

/// A token that begins with its keyword and is as long as `least` or longer.
pub(super) const fn token(
    kind: &'static str,
    keywords: &'static [&'static str],
    least: usize,
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    Rule { kind, keywords, before: 0, lead: 0, least, pattern, check: Check::Drawn, example }
}

impl Rule {
    /// The token begins up to `bytes` before its keyword.
    pub(super) const fn before(mut self, bytes: usize) -> Self {
        self.before = bytes;
        self
    }

    /// So many characters of the token stand right before its keyword.
    pub(super) const fn lead(mut self, characters: usize) -> Self {
        self.lead = characters;
        self
    }

    pub(super) const fn mixed(mut self) -> Self {
        self.check = Check::Mixed;
        self
    }

    pub(super) const fn pattern_only(mut self) -> Self {
        self.check = Check::Pattern;
        self
    }
}
