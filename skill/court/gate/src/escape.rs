//! Backslash escapes as `$'...'`, `echo -e` and `printf` read them.

/// The text with its escapes resolved; what is no escape stays as it is. Bytes that are no UTF-8
/// together become the replacement character.
pub(crate) fn ansi(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let source = text.as_bytes();
    let mut at = 0;
    while at < source.len() {
        let byte = source[at];
        at += 1;
        if byte != b'\\' || at == source.len() {
            bytes.push(byte);
            continue;
        }
        let escape = source[at];
        at += 1;
        match escape {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'e' | b'E' => bytes.push(27),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'\\' | b'\'' | b'"' | b'?' => bytes.push(escape),
            b'x' => at += number(&source[at..], 16, 2, 'x', &mut bytes),
            b'u' => at += number(&source[at..], 16, 4, 'u', &mut bytes),
            b'U' => at += number(&source[at..], 16, 8, 'U', &mut bytes),
            // `\0162` of echo and `\162` of the others.
            b'0' => at += number(&source[at..], 8, 3, '0', &mut bytes),
            b'1'..=b'7' => at += number(&source[at - 1..], 8, 3, '1', &mut bytes).saturating_sub(1),
            b'c' => at += usize::from(at < source.len()),
            _ => bytes.extend([b'\\', escape]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Appends the number at the beginning of `digits`; says how many bytes it took.
fn number(digits: &[u8], radix: u32, most: usize, kind: char, bytes: &mut Vec<u8>) -> usize {
    let taken = digits.iter().take(most).take_while(|digit| char::from(**digit).is_digit(radix));
    let length = taken.count();
    let value = digits[..length]
        .iter()
        .filter_map(|digit| char::from(*digit).to_digit(radix))
        .fold(0_u32, |sum, digit| sum.wrapping_mul(radix).wrapping_add(digit));
    if length == 0 {
        if kind == '0' {
            bytes.push(0);
        } else {
            bytes.extend([b'\\', kind as u8]);
        }
    } else if matches!(kind, 'u' | 'U') {
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        bytes.extend(character.to_string().as_bytes());
    } else {
        bytes.push((value & 0xff) as u8);
    }
    length
}
