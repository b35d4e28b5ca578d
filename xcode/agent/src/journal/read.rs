//! Reads a journal line by line. Whatever lies in the file, a line is read, or named as one that cannot be.

use std::io::{self, BufRead, Read as _};

use contract::xc::{Header, Line};

/// The longest line that is read, in bytes: results are cut to 30,000 characters, and a line holds one.
const LINE_MAX: u64 = 16 << 20;

/// What stands in a line of the file.
#[derive(Debug)]
pub(crate) enum Found {
    Line(Line),
    /// Something else, in the line of this number; the header's is 0.
    Unreadable(u64),
    /// The file ends in the middle of a line.
    Cut,
}

/// A journal whose header was read.
pub(crate) struct Reader<R> {
    reader: R,
    /// How many lines were read, the header counted.
    read: u64,
    /// How many bytes of whole lines were read.
    pub(crate) whole_len: u64,
    /// The line that was read last, with its end.
    pub(crate) bytes: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header; none where the first line is no header.
    ///
    /// # Errors
    /// What the file system says.
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
    /// What the file system says.
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

/// Why a line is not there.
enum Whole {
    /// It has no end.
    No,
    /// It is longer than any that is written.
    TooLong,
}
