//! The length of a text for clients, and how much of it fits. Clients count UTF-16 code units.

/// The length of a text in UTF-16 code units.
#[must_use]
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// As many whole lines of a text as fit into `max` UTF-16 code units; the flag says that some were
/// left out. A first line that does not fit is cut.
#[must_use]
pub fn fit(text: &str, max: usize) -> (&str, bool) {
    let (mut units, mut line_end, mut end) = (0, None, 0);
    for (at, char) in text.char_indices() {
        units += char.len_utf16();
        if units > max {
            return (&text[..line_end.unwrap_or(end)], true);
        }
        end = at + char.len_utf8();
        if char == '\n' {
            line_end = Some(at);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::{fit, units};

    #[test]
    fn a_text_is_cut_behind_a_whole_line_or_a_whole_character() {
        for (text, max, expected) in [
            ("one\ntwo", 7, ("one\ntwo", false)),
            ("one\ntwo", 6, ("one", true)),
            ("登录😀x", 4, ("登录😀", true)),
            ("登录😀x", 3, ("登录", true)),
            ("", 0, ("", false)),
        ] {
            let fitted = fit(text, max);
            assert_eq!(fitted, expected, "{text:?} in {max}");
            assert!(units(fitted.0) <= max, "{text:?} in {max}");
        }
    }
}
