//! Reads the lines of a file from the last to the first, in limited memory.

use std::io::{self, Read, Seek, SeekFrom};

/// The size of a read, in bytes.
const CHUNK: usize = 64 * 1024;

/// The longest line that is returned, in bytes. A longer one, such as a pasted picture, is skipped.
pub const LINE_MAX: usize = 4 * 1024 * 1024;

/// An iterator over the lines of a file, the last one first, without their ends.
///
/// A last line without an end may still be being written; it is returned like the others, and the caller
/// finds out when parsing it.
#[derive(Debug)]
pub struct Tail<R> {
    file: R,
    /// The end of the part that is not read yet.
    before: u64,
    /// How many more bytes may be read.
    budget: u64,
    /// The bytes that were read and not returned yet; the buffer begins at `before`.
    buffer: Vec<u8>,
    /// Whether the line at the end of the buffer is too long, so that the rest of it is skipped.
    skipping: bool,
    done: bool,
}

impl<R: Read + Seek> Tail<R> {
    /// Starts at the end; reads at most `budget` bytes, whatever the file's size.
    ///
    /// # Errors
    /// If the file's length cannot be determined.
    pub fn new(mut file: R, budget: u64) -> io::Result<Self> {
        let before = file.seek(SeekFrom::End(0))?;
        let mut tail =
            Self { file, before, budget, buffer: Vec::new(), skipping: false, done: before == 0 };
        if !tail.done {
            tail.fill()?;
            // The line end of the last line does not begin another one.
            if tail.buffer.last() == Some(&b'\n') {
                tail.buffer.pop();
            }
        }
        Ok(tail)
    }

    /// Reads the chunk before the buffer; returns `false` at the beginning of the file or when the budget is used up.
    fn fill(&mut self) -> io::Result<bool> {
        let size = self.before.min(CHUNK as u64).min(self.budget);
        if size == 0 {
            return Ok(false);
        }
        self.before -= size;
        self.budget -= size;
        self.file.seek(SeekFrom::Start(self.before))?;
        // A chunk is far smaller than the range of usize.
        let mut chunk = vec![0; usize::try_from(size).unwrap_or(CHUNK)];
        self.file.read_exact(&mut chunk)?;
        chunk.append(&mut self.buffer);
        self.buffer = chunk;
        Ok(true)
    }

    /// The next line; `None` if there is no further complete line.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        // The beginning of the bytes that were searched already.
        let mut searched = self.buffer.len();
        loop {
            if let Some(at) = self.buffer[..searched].iter().rposition(|byte| *byte == b'\n') {
                let line = self.buffer.split_off(at + 1);
                self.buffer.pop();
                if std::mem::take(&mut self.skipping) || line.len() > LINE_MAX {
                    searched = self.buffer.len();
                    continue;
                }
                return Ok(Some(line));
            }
            if self.buffer.len() > LINE_MAX {
                self.skipping = true;
                self.buffer.clear();
            }
            let held = self.buffer.len();
            if !self.fill()? {
                self.done = true;
                // If the budget ended within a line, its beginning is missing.
                let whole = self.before == 0 && !self.skipping;
                return Ok(whole.then(|| std::mem::take(&mut self.buffer)));
            }
            searched = self.buffer.len() - held;
        }
    }
}

impl<R: Read + Seek> Iterator for Tail<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.line() {
            Ok(line) => line.map(Ok),
            Err(error) => {
                self.done = true;
                Some(Err(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{CHUNK, LINE_MAX, Tail};

    fn lines(text: &[u8], budget: u64) -> Vec<Vec<u8>> {
        Tail::new(Cursor::new(text), budget).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn the_budget_ends_the_reading_at_a_whole_line() {
        assert_eq!(lines(b"one\ntwo\nthree\n", 10), [b"three".to_vec()]);
        assert_eq!(lines(b"one\ntwo\nthree\n", 11), [b"three".to_vec(), b"two".to_vec()]);
        assert!(lines(b"one\ntwo\nthree\n", 0).is_empty());
        assert!(lines(b"", u64::MAX).is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_costs_no_memory() {
        let mut text = b"first\n".to_vec();
        text.resize(text.len() + 3 * LINE_MAX, b'x');
        text.extend(b"\nlast");
        assert_eq!(lines(&text, u64::MAX), [b"last".to_vec(), b"first".to_vec()]);
        let mut tail = Tail::new(Cursor::new(&text), u64::MAX).unwrap();
        let mut most = 0;
        while tail.next().is_some() {
            most = most.max(tail.buffer.capacity());
        }
        assert!(most <= LINE_MAX + 2 * CHUNK, "{most}");
    }

    proptest! {
        #[test]
        fn the_lines_are_the_files_from_the_end(
            lengths in proptest::collection::vec(0usize..CHUNK / 2, 0..12),
            ended in proptest::bool::ANY,
        ) {
            let written: Vec<Vec<u8>> = lengths
                .iter()
                .enumerate()
                .map(|(index, length)| vec![b'a' + index as u8; *length])
                .collect();
            let mut text = written.join(&b'\n');
            if ended {
                text.push(b'\n');
            }
            let mut expected: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            if text.last().is_none_or(|byte| *byte == b'\n') {
                expected.pop();
            }
            expected.reverse();
            prop_assert_eq!(lines(&text, u64::MAX), expected);
        }
    }
}
