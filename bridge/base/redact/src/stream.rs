//! The door for text that leaves while it still comes: what a program prints.
//!
//! What comes out, put together, is what [`Redactor::sanitize`] makes of the whole: lines are handed
//! out as they end, and only those are held back that what follows could still make part of a
//! secret ([`open`]). A secret that begins on lines that are out already is masked from the line on
//! where it shows itself.

mod open;

use std::ops::Range;
use std::{fmt, mem};

use crate::clean::clean;
use crate::detect::{self, Span};
use crate::marker;
use crate::redactor::{self, Redactor, SPLIT};

/// How much is held back at most, in bytes: twice the longest private key that is looked for.
const HELD_MAX: usize = 64 << 10;

/// The longest line that is not cleaned before it ends, and how much is taken at once, in bytes; less
/// than [`HELD_MAX`] without [`SPLIT`].
const LINE_MAX: usize = 16 << 10;

/// Up to this many bytes what is held back is read again at each line's end, and more of it when it has
/// grown by an eighth: so the time stays linear, whatever is held back for how long.
const EAGER_MAX: usize = 8 << 10;

/// How much of what was handed out is read again before the lines that follow, in bytes. A name is
/// looked for 2 KiB before its value at most.
const BEHIND_MAX: usize = 4 << 10;

/// How far before the end of an unfinished line an escape sequence may begin, in bytes.
const SEQUENCE_MAX: usize = 1 << 10;

/// What a program prints, without control characters and secrets, line by line.
///
/// Held back are the line that has not ended, and the lines before it that belong to an open block: a
/// private key without its last line, a text that goes on in the next line. At most 64 KiB are held
/// back. Of more, everything but the last 40 KiB is masked and handed out, because no secret that is
/// looked for is longer; an open private key is replaced by its marker then, and each further line
/// that reads like one is left out until the key's last line or another text comes.
#[derive(Default)]
pub struct Stream {
    redactor: Redactor,
    /// The bytes of the line that has not ended; written by [`Stream::push`].
    line: Vec<u8>,
    /// Clean text that is not handed out yet: lines, and the beginning of one that is too long.
    held: String,
    /// How much was held back when it was last read.
    read: usize,
    /// The end of what was handed out, before it was masked.
    behind: String,
    /// Whether the lines of a private key that was too long are being left out.
    in_key: bool,
}

impl Stream {
    /// A stream whose secrets are those that `redactor` finds.
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// Takes the next bytes and returns the text that may leave now; often none. A character or an
    /// escape sequence may be cut anywhere; what is no UTF-8 becomes `\u{fffd}`.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        bytes.chunks(LINE_MAX).map(|piece| self.push_piece(piece)).collect()
    }

    fn push_piece(&mut self, bytes: &[u8]) -> String {
        let seen = self.line.len().saturating_sub(1);
        self.line.extend_from_slice(bytes);
        let ended = lines_end(&self.line, seen);
        if let Some(end) = ended {
            self.take(end);
        }
        let is_full = self.line.len() + self.held.len() > HELD_MAX;
        if self.line.len() > LINE_MAX {
            self.take(unfinished_end(&self.line));
        }
        if self.in_key {
            self.leave_key_out();
        }
        let waits = self.held.len() > EAGER_MAX && self.held.len() < self.read + self.read / 8;
        if !is_full && (ended.is_none() || waits) {
            return String::new();
        }
        let lines = self.held.rfind('\n').map_or(0, |at| at + 1);
        self.hand_out(lines)
    }

    /// Nothing has come for a while: of an unfinished line, the words may leave that can be no part of a secret,
    /// whatever follows them: a question, what a program is about. From the first word on that could be, it waits.
    pub fn pause(&mut self) -> String {
        // Lines that wait could become part of a secret with what follows, and so could this one.
        if self.in_key || self.held.contains('\n') {
            return String::new();
        }
        // A blank at the end is whole by itself.
        let blank = if self.line.ends_with(b" ") { &b"."[..] } else { b"" };
        self.take(unfinished_end(&[&self.line, blank].concat()));
        let words = self.held.split_inclusive(open::ends_word);
        let harmless = words.take_while(|word| open::is_harmless(word));
        let end = harmless.map(str::len).sum();
        self.hand_out(end)
    }

    /// The rest, once everything has come.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.take(self.line.len());
        if self.in_key {
            self.leave_key_out();
        }
        let text = self.behind.clone() + &self.held;
        let masks = self.redactor.masks(&text).0;
        masked(&text, self.behind.len()..text.len(), &masks)
    }

    /// Cleans the first `length` bytes of the unfinished line, which end a line or are to be read as they are.
    fn take(&mut self, length: usize) {
        let rest = self.line.split_off(length);
        let taken = mem::replace(&mut self.line, rest);
        self.held += &clean(&String::from_utf8_lossy(&taken));
    }

    /// Hands out what is closed of the first `lines` bytes that are held, and more if too much would stay.
    fn hand_out(&mut self, lines: usize) -> String {
        let text = self.behind.clone() + &self.held;
        let from = self.behind.len();
        let masks = self.redactor.masks(&text).0;
        let to = from + lines;
        let exact = self.redactor.begun(&text[..to]).unwrap_or(to);
        let closed = open::closed(&text[..to], from, &masks).min(exact).max(from);
        let end = before_mask(&text, closed, from, &masks);
        if text.len() - end + self.line.len() <= HELD_MAX {
            return self.release(&text, end, &masks);
        }
        if let Some((first_line, kind)) = detect::open_key(&text[from..]) {
            let mut out = self.release(&text, from + first_line.start, &masks);
            marker::write(kind, &mut out);
            self.held.drain(..first_line.len());
            self.behind.clear();
            self.in_key = true;
            self.leave_key_out();
            return out;
        }
        let end = text.floor_char_boundary(text.len().saturating_sub(SPLIT).max(end));
        let cut = masks.iter().find(|mask| mask.range.start < end && end < mask.range.end);
        let end = cut.map_or(end, |mask| mask.range.end);
        self.release(&text, end, &masks)
    }

    /// Hands out `text`, which is what was handed out and what is held, up to `end`.
    fn release(&mut self, text: &str, end: usize, masks: &[Span]) -> String {
        let out = masked(text, self.behind.len()..end, masks);
        let from = end.saturating_sub(BEHIND_MAX);
        let line = text.as_bytes()[from..end].iter().position(|byte| *byte == b'\n');
        let from = if from == 0 { 0 } else { line.map_or(from, |at| from + at + 1) };
        let from = text.ceil_char_boundary(if from < end { from } else { end });
        self.behind = text[from..end].to_owned();
        self.held = text[end..].to_owned();
        self.read = self.held.len();
        out
    }

    /// Leaves out what still reads like the private key that was too long to be held.
    fn leave_key_out(&mut self) {
        let end = detect::key_goes_on(&self.held);
        self.held.drain(..end);
        self.in_key = self.held.is_empty();
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// The end of the last line in `bytes`, of which the first `seen` are known to end none. A carriage
/// return ends one if something else than a line feed follows it.
fn lines_end(bytes: &[u8], seen: usize) -> Option<usize> {
    let ends = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1).is_some_and(|next| *next != b'\n'),
        _ => false,
    };
    (seen..bytes.len()).rev().find(ends).map(|at| at + 1)
}

/// How much of an unfinished line can be cleaned without what follows: no character and no escape
/// sequence is cut.
fn unfinished_end(bytes: &[u8]) -> usize {
    let start = |byte: &u8| byte & 0xc0 != 0x80;
    let last = bytes.iter().rposition(start).unwrap_or(0);
    let lead = bytes.len().saturating_sub(SEQUENCE_MAX);
    let escapes = |at: &usize| bytes[*at] == 0x1b || bytes[*at..].starts_with(&[0xc2, 0x9b]);
    (lead..last).rev().find(escapes).unwrap_or(last)
}

/// `end`, or the start of the line before it that a mask across it begins on; not before `from`.
fn before_mask(text: &str, end: usize, from: usize, masks: &[Span]) -> usize {
    let across = masks.iter().find(|mask| mask.range.start < end && end < mask.range.end);
    match across {
        Some(mask) if mask.range.start >= from => {
            text[..mask.range.start].rfind('\n').map_or(from, |at| at + 1).max(from)
        }
        _ => end,
    }
}

/// A part of `text` with a marker for each of `masks` that reaches into it.
fn masked(text: &str, part: Range<usize>, masks: &[Span]) -> String {
    let clipped = |mask: &Span| {
        let (start, end) = (mask.range.start.max(part.start), mask.range.end.min(part.end));
        (start < end).then(|| Span { range: start - part.start..end - part.start, ..*mask })
    };
    let inside: Vec<Span> = masks.iter().filter_map(clipped).collect();
    redactor::replace(&text[part.clone()], &inside)
}

#[cfg(test)]
mod tests;
