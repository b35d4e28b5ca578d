//! Seed phrases of wallets: 12 to 24 short words behind a word that announces them.

use std::ops::Range;

use super::text::Span;

pub(super) const KEYWORDS: &[&str] = &[
    "seed",
    "mnemonic",
    "mnémonique",
    "recovery",
    "backup words",
    "bip39",
    "bip-39",
    "wallet",
    "助记词",
    "助記詞",
    "ニーモニック",
];

/// How many words a phrase has at least and at most.
const WORDS: Range<usize> = 12..25;

/// How far behind its announcement a phrase may begin, in bytes.
const GAP_MAX: usize = 48;

/// What may stand between two words, in bytes: a blank, a comma, a number of a list.
const BETWEEN_MAX: usize = 8;

/// The longest phrase that is not whole with its announcement, in bytes.
const OPEN_MAX: usize = 24 * (8 + BETWEEN_MAX) + GAP_MAX;

/// Words of ordinary sentences that no seed phrase of the English list holds.
const PROSE: &[&str] = &[
    "and", "are", "been", "but", "could", "each", "for", "from", "has", "its", "not", "our",
    "should", "the", "their", "them", "then", "there", "these", "they", "those", "was", "were",
    "which", "would", "your",
];

/// Reads the words behind an announcement.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some(end) = starts(text, at.end).find_map(|start| Some((start, phrase(text, start)?)))
    else {
        return;
    };
    found.push(Span { range: end.0..end.1, kind: "mnemonic", named: false });
}

/// Where a phrase may begin behind an announcement that ends at `end`: behind a sign, a line's end, or
/// the last word of the announcement.
fn starts(text: &str, end: usize) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(end + GAP_MAX);
    let begins = |index: &usize| {
        bytes[*index].is_ascii_lowercase() && !bytes[index - 1].is_ascii_alphanumeric()
    };
    (end..limit).filter(begins).take(6)
}

/// Where words at the end of `text` begin that more words would make a phrase.
pub(crate) fn open_phrase(text: &str) -> Option<usize> {
    let window = text.ceil_char_boundary(text.len().saturating_sub(OPEN_MAX));
    let lower = text[window..].to_ascii_lowercase();
    let ends = KEYWORDS.iter().flat_map(|keyword| {
        lower.match_indices(keyword).map(|(at, _)| window + at + keyword.len())
    });
    let is_open = |start: &usize| {
        let (count, _, at) = words(text, *start);
        count > 0 && count < WORDS.end - 1 && at == text.len()
    };
    ends.filter_map(|end| starts(text, end).find(is_open)).min()
}

/// The end of a phrase that begins at `start`.
fn phrase(text: &str, start: usize) -> Option<usize> {
    let (count, end, _) = words(text, start);
    WORDS.contains(&count).then_some(end)
}

/// How many words begin at `start` and make a phrase, their end, and where a next one would begin.
fn words(text: &str, start: usize) -> (usize, usize, usize) {
    let bytes = text.as_bytes();
    let (mut at, mut end, mut count) = (start, start, 0);
    while count < WORDS.end - 1 {
        let length =
            bytes[at..].iter().take(9).take_while(|byte| byte.is_ascii_lowercase()).count();
        let word = &text[at..at + length];
        let closed = !bytes.get(at + length).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'-')
        });
        if !(3..=8).contains(&length) || !closed || PROSE.contains(&word) {
            break;
        }
        count += 1;
        end = at + length;
        let gap = bytes[end..].iter().take(BETWEEN_MAX).take_while(|byte| is_between(**byte));
        at = end + gap.count();
    }
    (count, end, at)
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_digit()
        || matches!(byte, b' ' | b'\n' | b'\t' | b',' | b'"' | b'\'' | b'.' | b')' | b'|')
}
