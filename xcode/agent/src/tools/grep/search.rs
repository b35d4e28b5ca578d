//! Searches files one after the other, in parts, so that neither the size of a file nor the length of a line matters.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use crate::tools::scope::Listing;
use crate::workspace::open::{Fault, open};
use crate::workspace::stop::Stop;

/// The longest line that is searched, in bytes.
const LINE_MAX: usize = 64 << 20;

/// How many characters of a line are shown; of a longer line, those around its match.
const CHARS_SHOWN: usize = 400;

/// How many of these precede the match.
const CHARS_BEFORE: usize = 100;

/// A search of many files.
pub(super) struct Search<'s> {
    matcher: RegexMatcher,
    searcher: Searcher,
    stop: &'s Stop,
}

/// The outcome of the search of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// Its lines are in the listing.
    Searched,
    /// It is not text; none of its lines is in the listing.
    Binary,
    /// The time limit was reached, or the call was cancelled; earlier matching lines are in the listing.
    Stopped,
}

impl<'s> Search<'s> {
    pub(super) fn new(matcher: RegexMatcher, context: usize, stop: &'s Stop) -> Self {
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LINE_MAX))
            .build();
        Self { matcher, searcher, stop }
    }

    /// Searches the file at a path without links.
    pub(super) fn file(
        &mut self,
        real: &Path,
        shown: &str,
        listing: &mut Listing,
    ) -> Result<Done, Fault> {
        let reader = Reader { file: open(real)?.file, stop: self.stop };
        let mut lines = Lines {
            matcher: &self.matcher,
            shown,
            room: listing.room(),
            made: Vec::new(),
            more: 0,
            is_binary: false,
        };
        let searched = self.searcher.search_reader(&self.matcher, reader, &mut lines);
        if lines.is_binary {
            return Ok(Done::Binary);
        }
        lines.made.into_iter().for_each(|line| listing.push(line));
        listing.count_more(lines.more);
        match searched {
            Ok(()) => Ok(Done::Searched),
            Err(_) if self.stop.is_now() => Ok(Done::Stopped),
            Err(error) => Err(Fault::Failed(error)),
        }
    }
}

/// Returns an error when the search must stop.
struct Reader<'s> {
    file: File,
    stop: &'s Stop,
}

impl Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_now() {
            return Err(io::Error::other("the search was stopped"));
        }
        self.file.read(bytes)
    }
}

/// Collects the matching lines of one file.
struct Lines<'l> {
    matcher: &'l RegexMatcher,
    shown: &'l str,
    /// How many more lines fit.
    room: usize,
    made: Vec<String>,
    /// Matching lines that did not fit.
    more: usize,
    is_binary: bool,
}

impl Lines<'_> {
    fn push(&mut self, mark: char, number: Option<u64>, line: &[u8]) {
        let text = self.cut(line.strip_suffix(b"\n").unwrap_or(line));
        let (shown, number) = (self.shown, number.unwrap_or_default());
        self.made.push(format!("{shown}{mark}{number}{mark}{text}"));
    }

    fn cut(&self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let long = text.chars().count();
        if long <= CHARS_SHOWN {
            return text.into_owned();
        }
        let at = self.matcher.find(text.as_bytes()).ok().flatten().map_or(0, |found| found.start());
        let before = String::from_utf8_lossy(&text.as_bytes()[..at]).chars().count();
        let from = before.saturating_sub(CHARS_BEFORE).min(long - CHARS_SHOWN);
        let shown: String = text.chars().skip(from).take(CHARS_SHOWN).collect();
        let (left, right) = (if from > 0 { "..." } else { "" }, from + CHARS_SHOWN < long);
        let right = if right { "..." } else { "" };
        format!("{left}{shown}{right} [line of {long} characters]")
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.made.len() < self.room {
            self.push(':', found.line_number(), found.bytes());
        } else {
            self.more += 1;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        if self.made.len() < self.room {
            self.push('-', found.line_number(), found.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if self.made.len() < self.room {
            self.made.push("--".to_owned());
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
