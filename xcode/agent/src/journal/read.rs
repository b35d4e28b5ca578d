//! Reads a journal line by line. Any content is accepted: a line is either parsed or reported as unreadable.

use std::io::{self, BufRead, Read as _};

use contract::xc::{Header, Line};

/// The longest line that is read, in bytes: a line holds one result, and results are cut to 30,000 characters.
const LINE_MAX: u64 = 16 << 20;

/// The content of a line.
#[derive(Debug)]
pub(crate) enum Found {
    Line(Line),
    /// An unreadable line with its number; the header is line 0.
    Unreadable(u64),
    /// The file ends with an incomplete line.
    Cut,
}

/// A journal whose header was read.
pub(crate) struct Reader<R> {
    reader: R,
    /// How many lines were read, including the header.
    read: u64,
    /// How many bytes of complete lines were read.
    pub(crate) whole_len: u64,
    /// The last line, with its end.
    pub(crate) bytes: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header; none if the first line is not a header.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn new(reader: R) -> io::Result<Option<(Header, Self)>> {
        let mut reader = Self { reader, read: 0, whole_len: 0, bytes: Vec::new() };
        let header = match reader.line()? {
            Some(Ok(line)) => serde_json::from_slice(line).ok(),
            Some(Err(_)) | None => None,
        };
        Ok(header.map(|header| (header, reader)))
    }

    /// The next line; none at the end.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn next(&mut self) -> io::Result<Option<Found>> {
        let number = self.read;
        let found = match self.line()? {
            None => return Ok(None),
            Some(Err(Whole::No)) => Found::Cut,
            Some(Err(Whole::TooLong)) => Found::Unreadable(number),
            Some(Ok(line)) => match std::str::from_utf8(line).ok().map(Line::parse) {
                Some(Ok(line)) => Found::Line(line),
                Some(Err(_)) | None => Found::Unreadable(number),
            },
        };
        Ok(Some(found))
    }

    /// The bytes of the next line, without its end.
    fn line(&mut self) -> io::Result<Option<Result<&[u8], Whole>>> {
        self.bytes.clear();
        let len = self.reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.bytes)?;
        if len == 0 {
            return Ok(None);
        }
        self.read += 1;
        if self.bytes.last() == Some(&b'\n') {
            self.whole_len += len as u64;
            return Ok(Some(Ok(&self.bytes[..len - 1])));
        }
        if (len as u64) < LINE_MAX {
            return Ok(Some(Err(Whole::No)));
        }
        let (mut more, mut last) = (0, 0);
        loop {
            let rest = self.reader.fill_buf()?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(rest.len(), |end| end + 1);
            last = rest.get(taken.saturating_sub(1)).copied().unwrap_or(last);
            self.reader.consume(taken);
            more += taken as u64;
            if end.is_some() || taken == 0 {
                break;
            }
        }
        if last != b'\n' {
            return Ok(Some(Err(Whole::No)));
        }
        self.whole_len += len as u64 + more;
        Ok(Some(Err(Whole::TooLong)))
    }
}

/// Why a line is not returned.
enum Whole {
    /// It has no line end.
    No,
    /// It is longer than any line that is written.
    TooLong,
}
