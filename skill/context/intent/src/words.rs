//! Splits text into the words that are indexed: identifiers as a whole and in parts, in lower case; runs of
//! Chinese, Japanese and Korean as pairs of characters. Stemming is left to the query.

/// The longest word, in bytes. Longer ones are data.
pub const MAX_WORD_BYTES: usize = 48;

/// Calls `each` with every word of `text` and its offset. An identifier of several parts
/// is reported as a whole (`with_capacity`) and in parts (`with`, `capacity`); single letters and numbers
/// are not reported.
pub fn words(text: &[u8], mut each: impl FnMut(&[u8], usize)) {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if byte.is_ascii_alphanumeric() || *byte == b'_' {
            let run = text[at..].iter().take_while(|byte| is_word(**byte)).count();
            identifier(&text[at..at + run], at, &mut each);
            at += run;
        } else if byte.is_ascii() {
            at += 1;
        } else {
            at += foreign(&text[at..], at, &mut each);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn identifier(run: &[u8], at: usize, each: &mut impl FnMut(&[u8], usize)) {
    let begin = run.iter().take_while(|byte| **byte == b'_').count();
    let end = run.len() - run.iter().rev().take_while(|byte| **byte == b'_').count();
    let Some(run) = run.get(begin..end).filter(|run| run.len() > 1) else { return };
    if run.len() > MAX_WORD_BYTES * 2 || run.iter().all(u8::is_ascii_digit) {
        return;
    }
    let at = at + begin;
    let mut lower = [0_u8; MAX_WORD_BYTES * 2];
    let lower = &mut lower[..run.len()];
    lower.copy_from_slice(run);
    lower.make_ascii_lowercase();
    let mut parts = 0;
    let mut start = 0;
    while start < run.len() {
        let length = part(&run[start..]);
        let word = &lower[start..start + length];
        let whole = length == run.len();
        let says = length > 1 && word[0] != b'_' && !word.iter().all(u8::is_ascii_digit);
        if says && !whole && length <= MAX_WORD_BYTES {
            each(word, at + start);
        }
        parts += 1;
        start += length;
    }
    if run.len() <= MAX_WORD_BYTES || parts == 1 {
        each(&lower[..lower.len().min(MAX_WORD_BYTES)], at);
    }
}

/// The length of the first part of an identifier: `HTTPServer2_x` is `HTTP`, `Server`, `2`, `_`, `x`.
fn part(run: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let first = class(run[0]);
    let same = run.iter().take_while(|byte| class(**byte) == first).count();
    if first != 0 {
        return same;
    }
    match run.get(same).map(|byte| class(*byte)) {
        // The last capital belongs to the following lower-case letters.
        Some(1) if same > 1 => same - 1,
        Some(1) => same + run[same..].iter().take_while(|byte| class(**byte) == 1).count(),
        _ => same,
    }
}

/// Handles non-ASCII text: returns the number of bytes consumed.
fn foreign(text: &[u8], at: usize, each: &mut impl FnMut(&[u8], usize)) -> usize {
    // A bounded window: a longer run is split, which loses one pair of characters.
    let window = &text[..text.len().min(256)];
    let valid = match std::str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return 1,
    };
    let mut letters = valid.char_indices().peekable();
    let mut took = 0;
    while let Some((offset, letter)) = letters.next() {
        if letter.is_ascii() {
            break;
        }
        took = offset + letter.len_utf8();
        let pair = letters.peek().filter(|(_, next)| is_cjk(letter) && is_cjk(*next));
        if let Some((next_offset, next)) = pair {
            each(&valid.as_bytes()[offset..next_offset + next.len_utf8()], at + offset);
        }
    }
    took.max(1)
}

/// Whether a character is of a script without spaces between words.
#[must_use]
pub fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        words(text.as_bytes(), |word, at| {
            let word = String::from_utf8(word.to_vec()).unwrap();
            assert_eq!(text[at..at + word.len()].to_lowercase(), word);
            found.push(word);
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn identifiers_come_whole_and_in_parts() {
        check("with_capacity", &["with", "capacity", "with_capacity"]);
        check("HTTPServer2", &["http", "server", "httpserver2"]);
        check("getURL x 12 __init__", &["get", "url", "geturl", "init"]);
        check("plain Words, too.", &["plain", "words", "too"]);
        check("a2idx", &["idx", "a2idx"]);
    }

    #[test]
    fn scripts_without_spaces_come_in_pairs() {
        check("修复登录 bug", &["修复", "复登", "登录", "bug"]);
        check("中a", &[]);
    }

    #[test]
    fn no_bytes_are_too_strange() {
        let mut found = 0;
        words(b"\xff\xfe ab\xc3 \xe4\xb8 cd", |_, _| found += 1);
        assert_eq!(found, 2);
        words(&[b'a'; 1_000], |_, _| found += 1);
        assert_eq!(found, 2);
        words("中".repeat(1_000).as_bytes(), |_, _| found += 1);
        assert!(found > 900);
    }
}
