//! The languages of the pages, and their selection. Not here: the texts.

use crate::words::{EN, Words, ZH};

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// English.
    En,
    /// Chinese, simplified.
    Zh,
}

impl Lang {
    /// The language for a tag from `?lang=` or a cookie; `None` if it is not one of ours.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    /// The preferred language of an `Accept-Language` header; English if it names none of ours.
    #[must_use]
    pub fn accepted(header: &str) -> Self {
        let mut best = (0.0, Self::En);
        for range in header.split(',') {
            let mut parts = range.split(';');
            let lang = Self::from_tag(parts.next().unwrap_or_default().trim());
            let weight = parts.find_map(|part| part.trim().strip_prefix("q="));
            let weight = weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0));
            if let Some(lang) = lang
                && weight > best.0
            {
                best = (weight, lang);
            }
        }
        best.1
    }

    /// The tag, as `lang` of a document and as the value of `?lang=`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    pub(crate) fn words(self) -> &'static Words {
        match self {
            Self::En => &EN,
            Self::Zh => &ZH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn the_language_with_the_greatest_weight_is_taken() {
        for (header, expected) in [
            ("", Lang::En),
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::Zh),
            ("en-US,en;q=0.9,zh;q=0.8", Lang::En),
            ("de, zh;q=0.3, en;q=0.2", Lang::Zh),
            ("fr;q=1, en;q=0.1", Lang::En),
            ("zh;q=0, fr", Lang::En),
            ("zh;q=x;;,,en", Lang::En),
            ("ZH_hant", Lang::Zh),
        ] {
            assert_eq!(Lang::accepted(header), expected, "{header}");
        }
    }
}
