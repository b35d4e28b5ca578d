//! Secrets that are written as a list of bytes behind their name: `key = bytes([12, 200, ...])`.

use std::ops::Range;

use super::text::{byte, skip_blanks};

/// The fewest bytes that make a secret.
const LEAST: usize = 8;

/// The most bytes that are read.
const MOST: usize = 512;

/// The longest wrapper before the bracket, in bytes: `new byte[] {`.
const WRAPPER_MAX: usize = 24;

/// The numbers or characters of the list behind the sign that ends at `at`.
pub(super) fn list(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = skip_blanks(text, at);
    let wrapper = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.&*([{]<> ".contains(byte);
    let lead = bytes.get(start..)?.iter().take(WRAPPER_MAX).take_while(|it| wrapper(it)).count();
    let open =
        bytes[start..start + lead].iter().rposition(|it| matches!(it, b'[' | b'{' | b'('))?;
    let mut at = skip_blanks(text, start + open + 1);
    let (first, mut end, mut items) = (at, at, Vec::new());
    while items.len() < MOST {
        let Some((item, length)) = item(&bytes[at.min(bytes.len())..]) else { break };
        items.push(item);
        end = at + length;
        let next = skip_blanks(text, end);
        if byte(text, next) != b',' {
            break;
        }
        at = skip_blanks(text, next + 1);
    }
    let closed = matches!(byte(text, skip_blanks(text, end)), b']' | b'}' | b')');
    (closed && is_drawn(&items)).then_some(first..end)
}

/// `0x1f`, `31`, `'a'`: its value and its length.
fn item(bytes: &[u8]) -> Option<(u8, usize)> {
    if let [b'\'' | b'"', char, b'\'' | b'"', ..] = bytes {
        return Some((*char, 3));
    }
    let hex = bytes.starts_with(b"0x") || bytes.starts_with(b"0X");
    let from = if hex { 2 } else { 0 };
    let length = bytes[from..].iter().take(4).take_while(|it| it.is_ascii_hexdigit()).count();
    let digits = std::str::from_utf8(&bytes[from..from + length]).ok()?;
    let value = u8::from_str_radix(digits, if hex { 16 } else { 10 }).ok()?;
    Some((value, from + length))
}

/// Neither a row nor a few values again and again.
fn is_drawn(items: &[u8]) -> bool {
    let mut kinds = items.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let steps = items.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) <= 1).count();
    items.len() >= LEAST && kinds.len() >= 6 && steps * 3 < items.len()
}
