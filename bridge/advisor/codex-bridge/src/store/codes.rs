//! Converts columns to types and back; enums are stored as the contract's words.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::Type;

use super::record::Transcript;

/// An unknown stored word: another program changed the file.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a word of this column")]
struct UnknownWord(String);

pub(super) fn transcript(word: &str) -> Option<Transcript> {
    [Transcript::Saved, Transcript::Lost].into_iter().find(|kept| transcript_word(*kept) == word)
}

pub(super) fn transcript_word(transcript: Transcript) -> &'static str {
    match transcript {
        Transcript::Saved => "saved",
        Transcript::Lost => "lost",
    }
}

/// Parses an id or a word of the contract.
pub(super) fn word<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// Parses column `index` with `read`.
pub(super) fn column<T>(
    row: &Row<'_>,
    index: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    read(text).ok_or_else(|| unknown(index, text))
}

/// Parses column `index` with `read` unless it is NULL.
pub(super) fn optional_column<T>(
    row: &Row<'_>,
    index: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    match row.get_ref(index)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => read(text).map(Some).ok_or_else(|| unknown(index, text)),
    }
}

/// Column `index` as a point in time.
pub(super) fn time(row: &Row<'_>, index: usize) -> rusqlite::Result<Timestamp> {
    let milliseconds: i64 = row.get(index)?;
    Timestamp::from_millisecond(milliseconds).map_err(|_| unknown(index, milliseconds))
}

/// Column `index` as [`rfc3339`].
pub(super) fn time_as_text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    time(row, index).map(rfc3339)
}

/// RFC 3339 with exactly three fractional digits, so that the texts sort as their times do.
pub(super) fn rfc3339(at: Timestamp) -> String {
    format!("{at:.3}")
}

fn unknown(index: usize, word: impl fmt::Display) -> rusqlite::Error {
    let word = word.to_string().chars().take(80).collect();
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(UnknownWord(word)))
}
