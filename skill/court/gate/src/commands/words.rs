//! Lists of words, written as one text and parted when the crate is compiled.

/// The words of a text, as `&'static [&'static str]`.
macro_rules! words {
    ($text:expr) => {{
        const WORDS: [&str; crate::commands::words::count($text)] =
            crate::commands::words::part($text);
        &WORDS
    }};
}
pub(super) use words;

/// The texts of a text, apart by `@`, as `&'static [&'static str]`: of texts with blanks in them.
macro_rules! texts {
    ($text:expr) => {{
        const TEXTS: [&str; crate::commands::words::count_texts($text)] =
            crate::commands::words::part_texts($text);
        &TEXTS
    }};
}
pub(super) use texts;

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

/// How many texts a text has.
pub(super) const fn count_texts(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut texts) = (0, 1);
    while at < bytes.len() {
        texts += (bytes[at] == b'@') as usize;
        at += 1;
    }
    texts
}

/// The texts themselves.
pub(super) const fn part_texts<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut texts = [""; N];
    let (mut rest, mut each) = (text, 0);
    while each < N {
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'@' {
            end += 1;
        }
        let (text, tail) = rest.split_at(end);
        (texts[each], rest) = (text, tail);
        if !rest.is_empty() {
            (_, rest) = rest.split_at(1);
        }
        each += 1;
    }
    texts
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
