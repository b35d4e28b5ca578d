//! Secrets in base64 and hexadecimal: a run is decoded once, or twice, and read as text.

use std::ops::Range;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::detect::Span;
use crate::{drawn, prefilter};

/// The shortest run that is decoded, in characters.
const RUN_MIN: usize = 24;

/// The longest run that is decoded, in characters.
const RUN_MAX: usize = 16 << 10;

/// How much of a run is decoded to see whether it is text.
const LOOK: usize = 16;

/// The fewest numbers in a row that are read as text.
const NUMBERS_MIN: usize = 12;

/// The most bytes between two numbers of a row.
const NUMBERS_GAP: usize = 2;

/// How often what was decoded is decoded again.
const DEPTH: u8 = 2;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Adds every run that decodes to text with a secret in it.
pub(crate) fn scan(text: &str, found: &mut Vec<Span>) {
    scan_within(text, DEPTH, found);
}

fn scan_within(text: &str, depth: u8, found: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut series = [Series::default(), Series::default()];
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let run = start..at;
        let word = &text[run.clone()];
        for (series, number) in series.iter_mut().zip([hex_number(word), decimal_number(word)]) {
            if !series.takes(&run, number) {
                series.look(depth, found);
                series.begin(&run, number);
            }
        }
        if (RUN_MIN..=RUN_MAX).contains(&run.len()) {
            look(text, run, depth, found);
        }
    }
    for series in &series {
        series.look(depth, found);
    }
}

/// Bytes that are written as numbers, one after another: `70 61 73`, `0x70, 0x61`, `112, 97, 115`.
#[derive(Default)]
struct Series {
    range: Range<usize>,
    bytes: Vec<u8>,
}

impl Series {
    /// Takes the next number; false where the series ends before it.
    fn takes(&mut self, run: &Range<usize>, number: Option<u8>) -> bool {
        let goes_on = !self.bytes.is_empty() && run.start - self.range.end <= NUMBERS_GAP;
        let Some(number) = number.filter(|_| goes_on) else { return false };
        self.range.end = run.end;
        self.bytes.push(number);
        true
    }

    fn begin(&mut self, run: &Range<usize>, number: Option<u8>) {
        self.bytes.clear();
        self.bytes.extend(number);
        self.range = run.clone();
    }

    fn look(&self, depth: u8, found: &mut Vec<Span>) {
        if self.bytes.len() < NUMBERS_MIN || !is_text(&self.bytes[..LOOK.min(self.bytes.len())]) {
            return;
        }
        let decoded = text_of(self.bytes.clone());
        if let Some(kind) = decoded.and_then(|decoded| secret_in(&decoded, depth)) {
            found.push(Span { range: self.range.clone(), kind, named: true });
        }
    }
}

/// True if the line ends in a number that may belong to a row over several lines: it is the line's
/// only word, or the word before it is a number too.
pub(crate) fn ends_in_number(line: &str) -> bool {
    let is_number = |word: &str| hex_number(word).or_else(|| decimal_number(word)).is_some();
    let is_part = |char: char| char.is_ascii() && is_part(char as u8);
    let kept = line.trim_end_matches(|char| !is_part(char));
    let mut words = kept.rsplit(|char| !is_part(char)).filter(|word| !word.is_empty());
    line.len() - kept.len() < NUMBERS_GAP
        && words.next().is_some_and(is_number)
        && words.next().is_none_or(is_number)
}

/// `70`, `0x70`
fn hex_number(word: &str) -> Option<u8> {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// `112`
fn decimal_number(word: &str) -> Option<u8> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    (digits && (2..=3).contains(&word.len())).then(|| word.parse().ok()).flatten()
}

fn look(text: &str, run: Range<usize>, depth: u8, found: &mut Vec<Span>) {
    let content = &text[run.clone()];
    // The letter of an escape before a run is no part of it.
    let bytes = text.as_bytes();
    let escaped =
        bytes[..run.start].ends_with(b"\\") && matches!(bytes[run.start], b'n' | b'r' | b't');
    let start = run.start + usize::from(escaped);
    if let Some(from) = number_before(text, &run) {
        found.push(Span { range: from..run.end, kind: "api-key", named: true });
        return;
    }
    if let Some(end) = shape_without_keyword(text, &(start..run.end)) {
        found.push(Span { range: start..end, kind: "api-key", named: true });
        return;
    }
    let hex = content.strip_prefix("0x").unwrap_or(content);
    let all_hex = hex.len().is_multiple_of(2) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let decoded =
        if all_hex { from_hex(hex) } else { from_base64(content).or_else(|| from_base32(content)) };
    if let Some(kind) = decoded.and_then(|decoded| secret_in(&decoded, depth)) {
        let padding = text.as_bytes()[run.end..].iter().take(3).take_while(|it| **it == b'=');
        found.push(Span { range: run.start..run.end + padding.count(), kind, named: true });
    }
}

/// The kind of the first secret in a decoded text.
fn secret_in(decoded: &str, depth: u8) -> Option<&'static str> {
    let mut found = Vec::new();
    prefilter::scan(decoded, &[], &mut found);
    if found.is_empty() && depth > 1 {
        scan_within(decoded, depth - 1, &mut found);
    }
    found.first().map(|span| span.kind)
}

fn from_base64(run: &str) -> Option<String> {
    let look: Vec<u8> = run.bytes().take(LOOK).map(standard).collect();
    is_text(&LENIENT.decode(&look[..look.len() / 4 * 4]).ok()?).then_some(())?;
    let mut whole: Vec<u8> = run.bytes().map(standard).collect();
    if whole.len() % 4 == 1 {
        whole.pop();
    }
    text_of(LENIENT.decode(&whole).ok()?)
}

/// RFC 4648, capitals.
fn from_base32(run: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::with_capacity(run.len() * 5 / 8));
    for byte in run.bytes() {
        let five = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        bits = bits << 5 | u32::from(five);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    text_of(bytes)
}

fn from_hex(hex: &str) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let start: Vec<u8> = hex.as_bytes().chunks_exact(2).take(LOOK).filter_map(pair).collect();
    is_text(&start).then_some(())?;
    text_of(hex.as_bytes().chunks_exact(2).filter_map(pair).collect())
}

fn text_of(bytes: Vec<u8>) -> Option<String> {
    is_text(&bytes).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Printable ASCII but for a byte in twenty.
fn is_text(bytes: &[u8]) -> bool {
    let others = bytes.iter().filter(|byte| !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    others.count() * 20 <= bytes.len() && !bytes.is_empty()
}

fn standard(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// Keys whose form has no fixed letters: `32 hex.16`, `24 hex.32 hex`, `24 hex:64 hex`, `32 hex-8 hex-8 hex`,
/// `32 hex-UUID`, `22/22`.
fn shape_without_keyword(text: &str, run: &Range<usize>) -> Option<usize> {
    let (word, bytes) = (&text[run.clone()], &text.as_bytes()[run.clone()]);
    let whole = |known: bool| known.then_some(run.end);
    let known = match run.len() {
        24 => two_of_hex(text, run),
        32 => zhipu_key(text, run),
        36 => fal_key(text, run),
        43 => ably_key(text, run),
        45 => whole(is_configcat_key(word)),
        50 => whole(is_mailgun_key(bytes)),
        // A Bitcoin key in wallet import format.
        51 | 52 => whole(is_wallet_key(word)),
        // DingTalk.
        67 => whole(word.starts_with("SEC") && is_hex(bytes, 3..67)),
        // Infobip.
        69 => {
            whole(is_hex(bytes, 0..32) && bytes[32] == b'-' && crate::shape::is_uuid(&word[33..]))
        }
        28..=37 => whole(is_uptimerobot_key(bytes)),
        _ => None,
    };
    known.or_else(|| drawn_token(text, run))
}

/// Nothing of a token stands at `at`.
fn ends(text: &str, at: usize) -> bool {
    !text.as_bytes().get(at).is_some_and(|byte| is_part(*byte))
}

/// Codefresh: `24 hex.32 hex`. Ghost: `24 hex:64 hex`.
fn two_of_hex(text: &str, run: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = match bytes.get(run.end)? {
        b'.' => 32,
        b':' => 64,
        _ => return None,
    };
    let end = run.end + 1 + length;
    let known = is_hex(bytes, run.clone()) && is_hex(bytes, run.end + 1..end) && ends(text, end);
    known.then_some(end)
}

/// Zhipu, Ollama: `32 hex.16`, `32 hex.24`.
fn zhipu_key(text: &str, run: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(run.end) != Some(&b'.') || !is_hex(bytes, run.clone()) {
        return None;
    }
    let from = run.end + 1;
    let rest = bytes[from..].iter().take(25).take_while(|byte| is_part(**byte)).count();
    let key = &text[from..from + rest];
    (matches!(rest, 16 | 24) && crate::shape::is_random(key)).then_some(from + rest)
}

/// fal.ai: `UUID:32 hex`.
fn fal_key(text: &str, run: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = run.end + 33;
    let known = bytes.get(run.end) == Some(&b':')
        && crate::shape::is_uuid(&text[run.clone()])
        && is_hex(bytes, run.end + 1..end)
        && ends(text, end);
    known.then_some(end)
}

/// Ably: `app.key:secret`.
fn ably_key(text: &str, run: &Range<usize>) -> Option<usize> {
    let (bytes, start) = (text.as_bytes(), run.start);
    if start < 14 || bytes[start - 1] != b':' || bytes[start - 8] != b'.' {
        return None;
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
    bytes[start - 14..start - 1].iter().all(plain).then_some(run.end)
}

/// Where the number before a token of Laravel's Sanctum or of an app of Facebook begins: `3|...`.
fn number_before(text: &str, run: &Range<usize>) -> Option<usize> {
    let bytes = &text.as_bytes()[..run.start];
    let before = bytes.strip_suffix(b"|")?;
    let digits = before.iter().rev().take(18).take_while(|byte| byte.is_ascii_digit()).count();
    let stands_alone = !before[..before.len() - digits].last().is_some_and(|it| is_part(*it));
    let known = match run.len() {
        27 => (15..=17).contains(&digits),
        40..=48 => (1..=8).contains(&digits),
        _ => false,
    };
    let mix = crate::shape::Mix::of(&text[run.clone()]);
    let drawn = mix.digits > 1 && mix.lower > 1 && mix.upper > 1;
    (known && stands_alone && drawn).then(|| before.len() - digits)
}

/// The end of a token of no known form, with the parts that dots join to it.
fn drawn_token(text: &str, run: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    if !drawn::is_token(&text[run.clone()]) {
        return None;
    }
    let part = |from: usize| {
        let length = bytes[from..].iter().take(RUN_MAX).take_while(|byte| is_part(**byte)).count();
        let joined = bytes[from - 1] == b'.' && length >= 16;
        (joined && crate::shape::is_random(&text[from..from + length])).then_some(from + length)
    };
    let second = (run.end < bytes.len()).then(|| part(run.end + 1)).flatten();
    Some(second.unwrap_or(run.end))
}

fn is_hex(bytes: &[u8], range: Range<usize>) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    bytes.get(range).is_some_and(|run| run.iter().all(is_digit))
}

/// `ur123456-24 hex`, `m123456-24 hex`.
fn is_uptimerobot_key(run: &[u8]) -> bool {
    let (number, key) = run.split_at(run.len() - 24);
    let digits = number.strip_prefix(b"ur").or_else(|| number.strip_prefix(b"m"));
    let digits = digits.and_then(|digits| digits.strip_suffix(b"-"));
    digits.is_some_and(|it| it.len() > 5 && it.iter().all(u8::is_ascii_digit)) && is_hex(key, 0..24)
}

/// `22/22`.
fn is_configcat_key(run: &str) -> bool {
    let drawn = |half: &str| {
        let mix = crate::shape::Mix::of(half);
        half.len() == 22 && mix.digits > 0 && mix.lower > 2 && mix.upper > 2
    };
    let signs = run.bytes().filter(|byte| matches!(byte, b'/' | b'+')).count();
    signs == 1
        && run.split_once('/').is_some_and(|(id, key)| drawn(id) && drawn(key))
        && !crate::shape::is_wordy(run)
}

/// `32 hex-8 hex-8 hex`.
fn is_mailgun_key(run: &[u8]) -> bool {
    let dashes = run[32] == b'-' && run[41] == b'-';
    dashes && is_hex(run, 0..32) && is_hex(run, 33..41) && is_hex(run, 42..50)
}

/// Base58 that begins as the format has it, drawn at random.
fn is_wallet_key(run: &str) -> bool {
    let starts = if run.len() == 51 { run.starts_with('5') } else { run.starts_with(['K', 'L']) };
    let base58 =
        |byte: u8| byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l');
    let mix = crate::shape::Mix::of(run);
    starts && run.bytes().all(base58) && mix.lower > 3 && mix.upper > 3 && mix.digits > 3
}
