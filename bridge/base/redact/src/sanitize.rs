//! The one door for text that leaves: cleaned, then masked, then cut, so that no invisible character
//! hides a secret and no cut leaves half of one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::redactor::SPLIT;
use crate::{Redactor, clean, exact, marker, prefilter};

/// What is looked at beyond four times the cut, in bytes: of a longer text only the beginning is.
const LOOK: usize = 512 << 10;

/// Where a text ends at the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    unit: Unit,
    max: usize,
    mark: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Chars,
}

impl Cut {
    /// The whole text is kept.
    pub const NONE: Self = Self { unit: Unit::Bytes, max: usize::MAX, mark: "" };

    /// At most `max` bytes of UTF-8 are kept.
    #[must_use]
    pub const fn bytes(max: usize) -> Self {
        Self { unit: Unit::Bytes, max, mark: "" }
    }

    /// At most `max` characters are kept.
    #[must_use]
    pub const fn chars(max: usize) -> Self {
        Self { unit: Unit::Chars, max, mark: "" }
    }

    /// A text that was cut ends in `…`, which counts.
    #[must_use]
    pub const fn marked(mut self) -> Self {
        self.mark = "…";
        self
    }

    /// How many bytes of `text` stay, or none if all of it does.
    fn of(self, text: &str) -> Option<usize> {
        let at = |max: usize| match self.unit {
            Unit::Bytes => (text.len() > max).then(|| text.floor_char_boundary(max)),
            Unit::Chars => text.char_indices().nth(max).map(|(at, _)| at),
        };
        at(self.max)?;
        let mark = match self.unit {
            Unit::Bytes => self.mark.len(),
            Unit::Chars => self.mark.chars().count(),
        };
        at(self.max.saturating_sub(mark))
    }
}

/// A text that may leave, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sanitized<'t> {
    /// The text; borrowed if nothing was changed.
    pub text: Cow<'t, str>,
    /// How many secrets of each kind were replaced.
    pub counts: BTreeMap<&'static str, u32>,
    /// Something at the end was left out.
    pub is_cut: bool,
}

impl Redactor {
    /// The text without control characters and secrets, then cut: what may be shown, stored, logged
    /// or sent. A cut falls before a marker and not into it.
    #[must_use]
    pub fn sanitize<'t>(&self, text: &'t str, cut: Cut) -> Sanitized<'t> {
        let look = cut.max.saturating_mul(4).saturating_add(LOOK);
        let begun = &text[..text.floor_char_boundary(look)];
        let cleaned = clean(begun);
        let (masked, counts) = match &cleaned {
            Cow::Borrowed(text) => {
                let redacted = self.redact(text);
                (redacted.text, redacted.counts)
            }
            Cow::Owned(text) => {
                let redacted = self.redact(text);
                (Cow::Owned(redacted.text.into_owned()), redacted.counts)
            }
        };
        let mut end = cut.of(&masked);
        if begun.len() < text.len() {
            let safe = masked.floor_char_boundary(masked.len().saturating_sub(SPLIT));
            end = Some(end.map_or(safe, |end| end.min(safe)));
        }
        let Some(end) = end else { return Sanitized { text: masked, counts, is_cut: false } };
        let markers = marker::find(&masked, |kind| kind == exact::KIND || prefilter::is_kind(kind));
        let inside = markers.iter().find(|marker| marker.contains(&end));
        let end = inside.map_or(end, |marker| marker.start);
        let text = Cow::Owned(format!("{}{}", &masked[..end], cut.mark));
        Sanitized { text, counts, is_cut: true }
    }
}

/// [`Redactor::sanitize`] without exact values, the text alone.
#[must_use]
pub fn sanitize(text: &str, cut: Cut) -> String {
    Redactor::new().sanitize(text, cut).text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Cut, sanitize};

    const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

    #[test]
    fn a_text_is_cleaned_then_masked_then_cut() {
        let hidden = TOKEN.replace("7e", "7\u{200b}e\u{1b}[1m");
        for (text, cut, expected) in [
            ("a\u{1b}[31mb", Cut::NONE, "ab"),
            (hidden.as_str(), Cut::NONE, "[REDACTED:github-pat]"),
            ("abcdef", Cut::bytes(4), "abcd"),
            ("aä", Cut::bytes(2), "a"),
            ("äöü", Cut::chars(2), "äö"),
            ("äöü", Cut::chars(2).marked(), "ä…"),
            ("abcdef", Cut::bytes(5).marked(), "ab…"),
            ("abc", Cut::bytes(3).marked(), "abc"),
        ] {
            assert_eq!(sanitize(text, cut), expected, "{text:?}");
        }
    }

    #[test]
    fn no_cut_leaves_half_a_secret_or_half_a_marker() {
        let text = format!("see {TOKEN} here");
        for max in 0..text.len() {
            let kept = sanitize(&text, Cut::bytes(max));
            assert!(!kept.contains("ghp_"), "{kept}");
            assert!(!kept.contains('[') || kept.contains(']'), "{kept}");
        }
    }

    #[test]
    fn the_end_of_what_was_looked_at_is_not_kept() {
        let text = "word ".repeat(super::LOOK / 5) + TOKEN;
        for start in 0..TOKEN.len() {
            let kept = sanitize(&text[start..], Cut::bytes(super::LOOK));
            assert!(!kept.contains("ghp"), "{start}");
        }
    }
}
