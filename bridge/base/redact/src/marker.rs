//! The text that takes a secret's place, and finding such text again.

use std::ops::Range;

const OPENING: &str = "[REDACTED:";

/// The longest kind, in bytes; a marker longer than this is not ours.
const KIND_MAX: usize = 40;

/// Appends the marker of `kind`.
pub(crate) fn write(kind: &str, to: &mut String) {
    to.push_str(OPENING);
    to.push_str(kind);
    to.push(']');
}

/// How long the marker of `kind` is, in bytes.
pub(crate) fn length(kind: &str) -> usize {
    OPENING.len() + kind.len() + 1
}

/// The places of markers that an earlier redaction left in `text`. Only known kinds count, so a
/// secret cannot hide inside a forged marker.
pub(crate) fn find(text: &str, is_kind: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPENING) {
        let start = from + at;
        let kind = start + OPENING.len();
        let bytes = &text.as_bytes()[kind..text.len().min(kind + KIND_MAX)];
        from = kind;
        if let Some(length) = bytes.iter().position(|byte| *byte == b']')
            && text.get(kind..kind + length).is_some_and(&is_kind)
        {
            from = kind + length + 1;
            found.push(start..from);
        }
    }
    found
}

/// The masks in a text, `[REDACTED:kind]` each, whether a redaction of this process wrote them or not: what is
/// to be written into a file must not bring one, for it stands where a secret was.
pub fn masks(text: &str) -> Vec<&str> {
    let is_kind = |kind: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !kind.is_empty() && kind.bytes().all(is_part)
    };
    find(text, is_kind).into_iter().map(|range| &text[range]).collect()
}

/// True if `range` holds no letter or digit outside `markers`: nothing is left to redact in it.
pub(crate) fn covers(text: &str, markers: &[Range<usize>], range: &Range<usize>) -> bool {
    if markers.is_empty() {
        return false;
    }
    let first = markers.partition_point(|marker| marker.end <= range.start);
    let mut at = range.start;
    for marker in &markers[first..] {
        if marker.start >= range.end {
            break;
        }
        if has_content(text, at, marker.start) {
            return false;
        }
        at = at.max(marker.end);
    }
    !has_content(text, at, range.end)
}

fn has_content(text: &str, from: usize, to: usize) -> bool {
    from < to
        && text.as_bytes()[from..to]
            .iter()
            .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_found_whatever_their_kind() {
        let text =
            "a [REDACTED:github-pat] b [REDACTED:] [REDACTED:no kind] [REDACTED:x_1][REDACTED";
        assert_eq!(masks(text), ["[REDACTED:github-pat]", "[REDACTED:x_1]"]);
        assert!(masks("[REDACTED: 密]").is_empty());
    }
}
