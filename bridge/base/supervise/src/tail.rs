//! Keeps the end of a stream in bounded memory.

use std::collections::VecDeque;

/// The last bytes of the pushed data.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// Maximum number of bytes kept.
    max: usize,
    /// The kept bytes, oldest first.
    bytes: VecDeque<u8>,
    /// Total number of bytes pushed.
    total: u64,
}

impl Tail {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, bytes: VecDeque::new(), total: 0 }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let kept = &chunk[chunk.len().saturating_sub(self.max)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.max);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// The kept bytes as text. A character that was split by the cut is left out.
    pub(crate) fn into_text(self) -> String {
        let cut = self.total > self.bytes.len() as u64;
        let bytes = Vec::from(self.bytes);
        let start = match cut {
            true => bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count(),
            false => 0,
        };
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tail of `chunks`, and the number of bytes pushed.
    fn tail(max: usize, chunks: &[&str]) -> (String, u64) {
        let mut tail = Tail::new(max);
        for chunk in chunks {
            tail.push(chunk.as_bytes());
        }
        let total = tail.total;
        (tail.into_text(), total)
    }

    #[test]
    fn the_last_bytes_are_kept_and_all_are_counted() {
        assert_eq!(tail(4, &[]), (String::new(), 0));
        assert_eq!(tail(4, &["ab", "cd"]), ("abcd".into(), 4));
        assert_eq!(tail(4, &["ab", "cd", "e"]), ("bcde".into(), 5));
        assert_eq!(tail(4, &["abcdefgh"]), ("efgh".into(), 8));
        assert_eq!(tail(0, &["abc"]), (String::new(), 3));
    }

    #[test]
    fn a_split_character_at_the_cut_is_left_out() {
        assert_eq!(tail(3, &["äöü"]), ("ü".into(), 6));
        assert_eq!(tail(2, &["a你"]), (String::new(), 4));
    }
}
