//! Lists of words, written as one text and parted when the crate is compiled. Absent: words with blanks in them.

/// The words of a text, as `&'static [&'static str]`.
macro_rules! words {
    ($text:expr) => {{
        const WORDS: [&str; crate::commands::words::count($text)] =
            crate::commands::words::part($text);
        &WORDS
    }};
}
pub(super) use words;

/// How many words a text has.
pub(super) const fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut words) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b' ' && (at == 0 || bytes[at - 1] == b' ') {
            words += 1;
        }
        at += 1;
    }
    words
}

/// The words themselves.
pub(super) const fn part<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut words = [""; N];
    let (mut rest, mut word) = (text, 0);
    while word < N {
        let bytes = rest.as_bytes();
        let mut start = 0;
        while bytes[start] == b' ' {
            start += 1;
        }
        let mut end = start;
        while end < bytes.len() && bytes[end] != b' ' {
            end += 1;
        }
        let (head, tail) = rest.split_at(end);
        (_, words[word]) = head.split_at(start);
        rest = tail;
        word += 1;
    }
    words
}

/// Whether two texts are the same, where the crate is compiled.
pub(super) const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    one.len() == other.len() && at == one.len()
}
