//! A second reading of a text: escapes decoded, pieces of a split text joined, look-alikes made plain.
//!
//! What is found in the folded text is mapped back, so that the text itself keeps its form. A text
//! that holds nothing to fold is told by one pass over its bytes.

use std::ops::Range;

/// The most blanks, line breaks and signs between two quoted pieces that are one text.
const GAP_MAX: usize = 48;

/// The longest piece in brackets that goes on in the next line, in bytes.
const PIECE_MAX: usize = 200;

/// A folded text and where each part of it stands in the original.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A stretch of the folded text.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Its start in the folded text.
    at: usize,
    /// Its start in the original.
    from: usize,
    /// How much of the original one folded character stands for; 0 where both are the same.
    length: usize,
}

impl Folded {
    /// The folded text; none where folding changes nothing.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut folded = Self::default();
        let (mut at, mut from) = (0, 0);
        while at < bytes.len() {
            let Some(fold) = fold_at(text, at) else {
                at += 1;
                continue;
            };
            folded.keep(text, from..at);
            if let Some(char) = fold.char {
                folded.pieces.push(Piece { at: folded.text.len(), from: at, length: fold.length });
                folded.text.push(char::from(char));
            }
            at += fold.length;
            from = at;
        }
        if from == 0 {
            return None;
        }
        folded.keep(text, from..bytes.len());
        Some(folded)
    }

    fn keep(&mut self, text: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.pieces.push(Piece { at: self.text.len(), from: range.start, length: 0 });
            self.text.push_str(&text[range]);
        }
    }

    /// Where a stretch of the folded text stands in the original.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let next = self.pieces.partition_point(|piece| piece.at <= at);
            self.pieces[next.saturating_sub(1)]
        };
        let (first, last) = (piece(range.start), piece(range.end.max(1) - 1));
        let start = first.from + if first.length == 0 { range.start - first.at } else { 0 };
        let end = if last.length == 0 {
            last.from + (range.end - last.at)
        } else {
            last.from + last.length
        };
        start..end.max(start)
    }
}

/// What stands in the original for one character, or for nothing.
struct Fold {
    length: usize,
    char: Option<u8>,
}

fn fold_at(text: &str, at: usize) -> Option<Fold> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b' ' | b'.' | b'-' | b'_' => spread(bytes, at),
        b'%' => percent(bytes, at),
        b'\\' => backslash(bytes, at),
        b'&' => entity(bytes, at),
        b'"' | b'\'' | b'`' => joint(bytes, at),
        0xc2 | 0xcc | 0xcd | 0xce | 0xcf | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf0 | 0xd0 | 0xd1 => {
            look_alike(text, at)
        }
        _ => None,
    }
}

/// `%5F`, and what was encoded again: `%255F`.
fn percent(bytes: &[u8], at: usize) -> Option<Fold> {
    let again = (0..4).take_while(|round| {
        let from = at + 1 + round * 2;
        bytes.get(from..from + 2) == Some(b"25") && digits(bytes, from + 2, 2, 16).is_some()
    });
    let skipped = again.count() * 2;
    digits(bytes, at + 1 + skipped, 2, 16).and_then(|code| visible(3 + skipped, code))
}

/// `P A S S`, `p.a.s.s`: a sign between single letters, three of them at least.
fn spread(bytes: &[u8], at: usize) -> Option<Fold> {
    let sign = bytes[at];
    // The letter at this distance from the sign stands for itself.
    let single = |distance: isize| {
        let byte = |at: isize| usize::try_from(at).ok().and_then(|at| bytes.get(at));
        let place = at.cast_signed() + distance;
        let is_letter = byte(place).is_some_and(|byte| {
            byte.is_ascii_alphabetic() || sign == b' ' && byte.is_ascii_digit()
        });
        let ends = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        is_letter && ends(byte(place - 1)) && ends(byte(place + 1))
    };
    let before = || at >= 2 && bytes[at - 2] == sign && single(-3);
    let after = || bytes.get(at + 2) == Some(&sign) && single(3);
    (single(1) && single(-1) && (before() || after())).then_some(Fold { length: 1, char: None })
}

/// `\u005f`, `\u{5f}`, `\x5f`, `\137`, and a line that goes on behind a backslash.
fn backslash(bytes: &[u8], at: usize) -> Option<Fold> {
    match bytes.get(at + 1)? {
        b'u' if bytes.get(at + 2) == Some(&b'{') => {
            let run =
                bytes[at + 3..].iter().take(6).take_while(|it| it.is_ascii_hexdigit()).count();
            let closed = bytes.get(at + 3 + run) == Some(&b'}');
            let code = digits(bytes, at + 3, run, 16).filter(|_| closed && run > 0)?;
            visible(run + 4, code)
        }
        b'u' => digits(bytes, at + 2, 4, 16).and_then(|code| visible(6, code)),
        b'U' => digits(bytes, at + 2, 8, 16).and_then(|code| visible(10, code)),
        b'x' => digits(bytes, at + 2, 2, 16).and_then(|code| visible(4, code)),
        b'0' | b'1' => digits(bytes, at + 1, 3, 8).and_then(|code| visible(4, code)),
        b'\n' => {
            let blanks = bytes[at + 2..].iter().take(GAP_MAX);
            let blanks = blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            Some(Fold { length: 2 + blanks, char: None })
        }
        _ => None,
    }
}

/// `&#95;`, `&#x5f;`, `&quot;`
fn entity(bytes: &[u8], at: usize) -> Option<Fold> {
    let named = [(&b"&quot;"[..], b'"'), (b"&apos;", b'\'')];
    if let Some((name, char)) = named.iter().find(|(name, _)| bytes[at..].starts_with(name)) {
        return Some(Fold { length: name.len(), char: Some(*char) });
    }
    if bytes.get(at + 1) != Some(&b'#') {
        return None;
    }
    let (from, base) = match bytes.get(at + 2)? {
        b'x' | b'X' => (at + 3, 16),
        _ => (at + 2, 10),
    };
    let run = bytes[from..].iter().take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let closed = bytes.get(from + run) == Some(&b';');
    let code = digits(bytes, from, run, base).filter(|_| closed && run > 0)?;
    visible(from + run + 1 - at, code)
}

/// `" + "` between two pieces of one text, and the like: `" "`, `' . '`, `" &\n  "`, `" f"`, `'"`.
fn joint(bytes: &[u8], at: usize) -> Option<Fold> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=!@#$%^&*?".contains(byte);
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    if at == 0 || !is_part(&bytes[at - 1]) {
        return None;
    }
    let gap = &bytes[at + 1..bytes.len().min(at + 1 + GAP_MAX)];
    let (mut signs, mut lines, mut length) = (0, 0, 0);
    loop {
        let rest = &gap[length..];
        match *rest.first()? {
            b' ' | b'\t' => {}
            b'\n' => lines += 1,
            b'+' | b'.' | b'&' | b'~' | b'\\' => signs += 1,
            b'|' if rest.starts_with(b"||") => {
                signs += 1;
                length += 1;
            }
            b'/' if rest.starts_with(b"/*") => {
                length += rest.windows(2).position(|pair| pair == b"*/")? + 1;
            }
            b'f' | b'F' | b'r' | b'b' | b'u' if rest.get(1).is_some_and(is_quote) => {}
            quote if is_quote(&quote) => break,
            _ => return None,
        }
        length += 1;
    }
    // Of two kinds of quotes only what touches or is joined by a sign.
    let alike = gap[length] == bytes[at] || length == 0 || signs > 0;
    let goes_on = bytes.get(at + length + 2).is_some_and(is_part);
    let is_one = lines <= signs || lines == 1 && is_in_brackets(bytes, at);
    (alike && signs <= 2 && is_one && goes_on).then_some(Fold { length: length + 2, char: None })
}

/// The piece that the quote at `at` closes is the first of several in brackets: `("ab"`.
fn is_in_brackets(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(PIECE_MAX);
    let opening = bytes[from..at].iter().rposition(|byte| *byte == bytes[at]);
    let before = opening.map_or(&[][..], |length| &bytes[..from + length]);
    let blanks = before.iter().rev().take(GAP_MAX).take_while(|byte| byte.is_ascii_whitespace());
    let skipped = blanks.count();
    before.len().checked_sub(skipped + 1).is_some_and(|last| before[last] == b'(')
}

/// Combining marks inside a run of letters, wide forms, and Cyrillic letters among Latin ones.
fn look_alike(text: &str, at: usize) -> Option<Fold> {
    if !text.is_char_boundary(at) {
        return None;
    }
    let char = text[at..].chars().next()?;
    let length = char.len_utf8();
    let bytes = text.as_bytes();
    let before = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
    let code = u32::from(char);
    let is_shown =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_graphic);
    match code {
        0x300..=0x36f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f => {
            Some(Fold { length, char: None })
        }
        0xff10..=0xff19 | 0xff21..=0xff3a | 0xff41..=0xff5a | 0xff3f | 0xff0d => {
            visible(length, code - 0xfee0)
        }
        // Blanks between ASCII; others belong to the prose of other scripts.
        0xa0 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000
            if is_shown(at.checked_sub(1)) && is_shown(Some(at + length)) =>
        {
            Some(Fold { length, char: Some(b' ') })
        }
        // Hyphens and dashes between letters.
        0x2010 | 0x2011 | 0x2013
            if before
                && (code < 0x2013 || bytes[at - 1].is_ascii_alphabetic())
                && bytes.get(at + length).is_some_and(u8::is_ascii_alphanumeric) =>
        {
            visible(length, u32::from(b'-'))
        }
        // Letters and digits of mathematics, letters in circles.
        0x1d400..=0x1d6a3 => {
            let letter = (code - 0x1d400) % 52;
            let first = if letter < 26 { u32::from(b'A') } else { u32::from(b'a') - 26 };
            visible(length, first + letter)
        }
        0x1d7ce..=0x1d7ff => visible(length, u32::from(b'0') + (code - 0x1d7ce) % 10),
        0x24b6..=0x24cf => visible(length, u32::from(b'A') + code - 0x24b6),
        0x24d0..=0x24e9 => visible(length, u32::from(b'a') + code - 0x24d0),
        0x370..=0x4ff if before || is_among_latin(text, at) => {
            let letters = "аaеeоoрpсcуyхxіiѕsјjԁdһhАAВBЕEКKМMНHОOРPСCТTХXοoαaνvρp";
            let mut pairs = letters.chars().skip_while(|other| *other != char);
            pairs.next()?;
            visible(length, u32::from(pairs.next()?))
        }
        _ => None,
    }
}

/// A Latin letter stands within three letters before or behind.
fn is_among_latin(text: &str, at: usize) -> bool {
    let nearest = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(3).take_while(|char| char.is_alphabetic()).any(|char| char.is_ascii())
    };
    nearest(&mut text[at..].chars().skip(1)) || nearest(&mut text[..at].chars().rev())
}

fn visible(length: usize, code: u32) -> Option<Fold> {
    let char = u8::try_from(code).ok().filter(u8::is_ascii_graphic)?;
    Some(Fold { length, char: Some(char) })
}

fn digits(bytes: &[u8], at: usize, count: usize, base: u32) -> Option<u32> {
    let run = bytes.get(at..at + count)?;
    run.iter().try_fold(0, |code: u32, byte| {
        Some(code.checked_mul(base)? + char::from(*byte).to_digit(base)?)
    })
}

#[cfg(test)]
mod tests {
    use super::Folded;

    #[test]
    fn what_is_folded_keeps_its_place() {
        for (text, expected) in [
            ("a%5Fb", "a_b"),
            ("a\\u005fb", "a_b"),
            ("a\\x5fb\\137c", "a_b_c"),
            ("a&#95;b&#x5f;c", "a_b_c"),
            ("&quot;a&quot;:&apos;b", "\"a\":'b"),
            ("\"ab\" + \"cd\"", "\"abcd\""),
            ("'ab'\n  . 'cd'", "'abcd'"),
            ("K=\\\n   v", "K=v"),
            ("a\u{301}b\u{20e3}c", "abc"),
            ("ｇｈｐ_", "ghp_"),
            ("p\u{430}ss", "pass"),
        ] {
            let folded = Folded::of(text).expect(text);
            assert_eq!(folded.text, expected);
            assert_eq!(folded.original(&(0..expected.len())), 0..text.len(), "{text}");
        }
    }

    #[test]
    fn plain_text_is_not_folded() {
        for text in [
            "",
            "100% of",
            "C:\\new",
            "a && b",
            "\"a\": \"b\"",
            "пароль",
            "日本語",
            "[\"a\", \"b\"]",
        ] {
            assert!(Folded::of(text).is_none(), "{text}");
        }
    }
}
