//! Private keys in PEM, PGP and PuTTY form: whole, cut off, indented, quoted, or inside JSON text
//! where each line break is the two characters `\n`.

use std::ops::Range;

use super::text::{Span, byte, goes_on, line_end, skip_blanks};

pub(super) const KEYWORDS: &[&str] = &["-----begin ", "-----end ", "---- begin ssh2 encrypted"];
pub(super) const PUTTY: &[&str] = &["private-lines:"];

/// How the body of a private key begins where its first line is missing: PKCS#8, PKCS#1, SEC 1,
/// Ed25519 and OpenSSH, in base64.
pub(super) const BODY: &[&str] = &[
    "ibadanbgkqhkig9w0",
    "ibaakcaq",
    "ibaakcag",
    "ibaakbg",
    "mhccaqee",
    "migkageb",
    "mighageamb",
    "mig2ageamb",
    "miguageamb",
    "mc4caqawbq",
    "mie3ageamb",
    "mfecaqewbq",
    "b3blbnnzac1rzxktdje",
    "miiftbxbgkqhki",
    "miifhdbobgkqhki",
    "miijnzbwbgkqhki",
];

/// What stands between the lines of a key: breaks, escapes, quotes, and the marks of quoted lines.
const MARKS: [char; 11] = ['\n', '\r', '\\', '"', '\'', '`', ' ', '\t', '>', '#', '|'];

/// The longest line that names the number of a key's lines, in bytes.
const GAP_MAX: usize = 64;

/// The longest key that is looked for, in bytes: an RSA key of 16,384 bits, indented.
const KEY_MAX: usize = 32 * 1024;

/// The fewest base64 characters in a row that make a key's line and not a word of prose.
const LINE_MIN: usize = 20;

/// Reads a key's block forwards from its first line, or backwards from its last.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some((kind, label_end)) = label(text, at.end) else { return };
    let span = |range| Span { range, kind, named: true };
    if goes_on(text, at.start, "-----end ") {
        found.extend(before(text, at.start).map(|start| span(start..label_end)));
    } else {
        found.extend(after(text, label_end).map(|end| span(at.start..end)));
    }
}

/// The first line of a private key whose last line has not come, and its kind: behind it stands nothing
/// but what reads like a key.
pub(crate) fn open_key(text: &str) -> Option<(Range<usize>, &'static str)> {
    let lower = text.to_ascii_lowercase();
    let openings = KEYWORDS.iter().filter(|keyword| !keyword.contains("end "));
    let opening = openings.filter_map(|it| Some((lower.rfind(it)?, it.len()))).max();
    let putty = PUTTY.iter().filter_map(|it| Some((lower.rfind(it)?, it.len()))).max();
    let (at, kind, end) = match (opening, putty) {
        (Some((at, length)), _) => {
            let (kind, end) = label(text, at + length)?;
            (at, kind, end)
        }
        (None, Some((at, length))) => {
            let line = at + length;
            (at, "private-key", line_end(text, line, GAP_MAX))
        }
        (None, None) => return None,
    };
    let rest = &text[end..];
    let is_open = rest[body_length(rest)..].chars().all(|char| MARKS.contains(&char));
    is_open.then_some((at..end, kind))
}

/// Where the lines at the end of `text` begin that a last line of a private key behind them would make
/// one.
pub(crate) fn key_lines(text: &str) -> Option<usize> {
    before(text, text.len())
}

/// How much of `text` goes on with a private key that began before it, with the key's last line.
pub(crate) fn key_goes_on(text: &str) -> usize {
    let body = body_length(text);
    let rest = text[body..].trim_start_matches(MARKS);
    let at = text.len() - rest.len();
    if goes_on(text, at, "-----end ") {
        return label(text, at + "-----end ".len()).map_or(at, |(_, end)| end);
    }
    if rest.is_empty() { text.len() } else { body }
}

/// Reads a key's body that begins at a keyword, or a few characters before it.
pub(super) fn read_body(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let is_read = |span: &Span| span.range.start <= at.start && span.range.end >= at.end;
    if found.iter().rev().take(4).any(is_read) {
        return;
    }
    let lead = text.as_bytes()[..at.start].iter().rev().take(16);
    let start = at.start - lead.take_while(|byte| is_base64(**byte)).count();
    let limit = text.floor_char_boundary(start + KEY_MAX);
    let length = body_length(&text[start..limit]);
    if length >= BODY_MIN {
        found.push(Span { range: start..start + length, kind: "private-key", named: true });
    }
}

/// The shortest body of a private key, in bytes: Ed25519.
const BODY_MIN: usize = 56;

/// `RSA PRIVATE KEY-----`, `PGP PRIVATE KEY BLOCK-----`: the kind and the end.
fn label(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let line = &text[at..text.floor_char_boundary(at + 64)];
    let end = line.find("---")?;
    let upper = line[..end].to_ascii_uppercase();
    let dashes = line[end..].bytes().take_while(|byte| *byte == b'-').count();
    let kind = if upper.starts_with("PGP") { "pgp-private-key" } else { "private-key" };
    upper.contains("PRIVATE KEY").then_some((kind, at + end + dashes))
}

/// The end of a key whose first line ends at `at`.
fn after(text: &str, at: usize) -> Option<usize> {
    let limit = text.floor_char_boundary(at + KEY_MAX);
    let rest = &text[at..limit];
    // The last line of this key, before any other one begins.
    let next = rest.find("-----BEGIN ").unwrap_or(rest.len());
    if let Some(last) = rest[..next].find("-----END ") {
        let body = &rest[..last];
        let end = label(text, at + last + "-----END ".len()).map(|(_, end)| end);
        return (is_body(body)).then(|| end.unwrap_or(at + last));
    }
    // Cut off: as far as it still looks like a key.
    let length = body_length(&rest[..next]);
    is_body(&rest[..length]).then_some(at + length)
}

/// The start of a key whose last line begins at `at` and whose first is missing: back over pieces
/// of base64 between line breaks, escapes, quotes and marks.
fn before(text: &str, at: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(KEY_MAX));
    let (mut start, mut end, mut lines) = (at, at, 0);
    for piece in text[from..at].rsplit(MARKS) {
        let piece_start = end - piece.len();
        let escaped = piece_start > from && text.as_bytes()[piece_start - 1] == b'\\';
        let line = piece.strip_prefix(['n', 'r', 't']).filter(|_| escaped).unwrap_or(piece);
        let fits = line.is_empty() || line.len() >= LINE_MIN || lines == 0;
        if !fits || !line.bytes().all(is_base64) {
            break;
        }
        if !line.is_empty() {
            lines += 1;
            start = end - line.len();
        }
        end = piece_start.saturating_sub(1);
    }
    (lines > 0 && is_body(&text[start..at])).then_some(start)
}

/// How much of `text` is made of base64 lines, key headers, blanks, escapes, quotes and the marks
/// that stand before quoted or commented lines.
fn body_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut end) = (0, 0);
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| is_base64(**byte)).count();
        if run >= LINE_MIN {
            at += run;
            end = at;
        } else if let Some(header) = header_length(text, at) {
            at += header;
            end = at;
        } else if run > 0 {
            // The last line of a key is a short one.
            return if ends_line(bytes, at + run) { at + run } else { end };
        }
        match bytes.get(at) {
            Some(b'\\') if matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't')) => at += 2,
            Some(
                b' ' | b'\t' | b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b',' | b'>' | b'#' | b'*'
                | b'|' | b'.',
            ) => at += 1,
            _ => break,
        }
    }
    end
}

/// The text's line ends at `at`, or the quoted line in it.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b'\n' | b'\r' | b'\\' | b'"' | b'\''))
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: ...`, `Version: ...`, `Comment: ...`
fn header_length(text: &str, at: usize) -> Option<usize> {
    let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Charset:", "Hash:"];
    headers.iter().find(|header| text[at..].starts_with(**header))?;
    let end = line_end(text, at, 200);
    let escape = text[at..end].find("\\n").map_or(end, |length| at + length);
    Some(escape - at)
}

/// A key's body holds at least one line of base64.
fn is_body(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if is_base64(byte) { run + 1 } else { 0 };
        run >= LINE_MIN
    })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// PuTTY's format: `Private-Lines: N`, then N lines.
pub(super) fn read_putty(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let count = skip_blanks(text, at.end);
    let digits =
        text.as_bytes()[count..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let start = count + digits;
    let limit = text.floor_char_boundary(start + KEY_MAX);
    let length = body_length(&text[start..limit]);
    let lead = text[start..start + length].len() - text[start..start + length].trim_start().len();
    if digits > 0 && is_body(&text[start..start + length]) && byte(text, start) != 0 {
        found.push(Span { range: start + lead..start + length, kind: "private-key", named: true });
    }
}
