//! What stands around a value in code: calls that hand a text through, prefixes of texts, schemes of headers.

use super::judge::Join;
use super::text::{byte, goes_on, skip_blanks};
use super::value::{self, Value};

/// Wrappers that hand a text through, and one-letter text prefixes.
pub(super) fn skip_wrapper(text: &str, at: usize) -> usize {
    const WRAPPERS: &[&str] = &[
        "String::from(",
        "Some(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "SecretStr(",
        "str(",
        "new SecureString(",
        "PASSWORD(",
        "base64.b64decode(",
        "Base64.getDecoder().decode(",
        "Buffer.from(",
        "bytes.fromhex(",
        "hex.DecodeString(",
        "q(",
        "qq(",
        "$(echo -n ",
        "$(echo ",
        "$(printf ",
    ];
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| text[at..].starts_with(**wrapper)) {
        return at + wrapper.len();
    }
    if let Some(inside) = skip_dump(text, at).or_else(|| skip_raw(text, at)) {
        return inside;
    }
    let prefix = matches!(
        byte(text, at),
        b'@' | b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'f' | b'L' | b'N' | b'$'
    );
    if prefix && matches!(byte(text, at + 1), b'"' | b'\'') { at + 1 } else { at }
}

/// `string(20) "..."` on the next line, as PHP dumps a text: where the quote opens.
fn skip_dump(text: &str, at: usize) -> Option<usize> {
    let blank = text.as_bytes()[at..].iter().take(40).take_while(|it| it.is_ascii_whitespace());
    let word = at + blank.count();
    let length = text[word..].strip_prefix("string(")?;
    let (digits, _) = length.split_once(") \"")?;
    let counted = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    counted.then_some(word + "string() ".len() + digits.len())
}

/// `r#"..."#`: where the quote opens.
fn skip_raw(text: &str, at: usize) -> Option<usize> {
    let hashes = text[at..].strip_prefix('r')?.bytes().take(4).take_while(|it| *it == b'#').count();
    (hashes > 0 && byte(text, at + 1 + hashes) == b'"').then_some(at + 1 + hashes)
}

/// `Bearer `, `token ` before the value of a header.
pub(super) fn skip_scheme(text: &str, at: usize) -> usize {
    let schemes = ["bearer ", "token ", "apikey ", "basic "];
    schemes
        .iter()
        .find(|scheme| goes_on(text, at, scheme))
        .map_or(at, |scheme| skip_blanks(text, at + scheme.len()))
}

/// A quoted value as an argument.
pub(super) fn direct(text: &str, at: usize) -> Option<(Join, Value)> {
    Some((Join::Code, value::quoted(text, skip_wrapper(text, skip_blanks(text, at)))?))
}
