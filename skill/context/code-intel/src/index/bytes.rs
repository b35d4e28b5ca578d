//! Encodes and decodes numbers. Decoding is total: out of bounds gives zero or nothing, never a panic.

/// The little-endian number at `offset`, or 0 beyond the end.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let slice = offset.checked_add(4).and_then(|end| bytes.get(offset..end));
    slice.and_then(|slice| slice.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The little-endian number at `offset`, or 0 beyond the end.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let slice = offset.checked_add(8).and_then(|end| bytes.get(offset..end));
    slice.and_then(|slice| slice.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// `length` bytes from `offset`; empty if they are not all available.
pub(crate) fn slice(bytes: &[u8], offset: u32, length: u32) -> &[u8] {
    let begin = offset as usize;
    begin.checked_add(length as usize).and_then(|end| bytes.get(begin..end)).unwrap_or_default()
}

/// Appends a number in as few bytes as it needs, seven bits each.
pub(crate) fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Numbers written by [`push_varint`], one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Varints<'b>(pub(crate) &'b [u8]);

impl Varints<'_> {
    /// The next number; `None` at the end or on malformed input.
    pub(crate) fn next(&mut self) -> Option<u32> {
        let mut number = 0_u32;
        for (position, byte) in self.0.iter().enumerate().take(5) {
            number |= u32::from(byte & 0x7f).checked_shl(7 * position as u32)?;
            if byte & 0x80 == 0 {
                self.0 = &self.0[position + 1..];
                return Some(number);
            }
        }
        self.0 = &[];
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        let numbers = [0, 1, 127, 128, 300, 1 << 20, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_varint(&mut bytes, *number));
        let mut varints = Varints(&bytes);
        assert_eq!(std::iter::from_fn(|| varints.next()).collect::<Vec<_>>(), numbers);
        for end in 0..bytes.len() {
            let mut varints = Varints(&bytes[..end]);
            assert!(std::iter::from_fn(|| varints.next()).count() < numbers.len());
        }
    }

    #[test]
    fn beyond_the_end_is_nothing() {
        assert_eq!(u32_at(&[1, 0, 0, 0], 0), 1);
        assert_eq!(u32_at(&[1, 0, 0], 0), 0);
        assert_eq!(u64_at(&[1; 16], usize::MAX), 0);
        assert_eq!(slice(&[1, 2, 3], 1, 2), [2, 3]);
        assert!(slice(&[1, 2, 3], 2, 2).is_empty());
        assert!(slice(&[1, 2, 3], u32::MAX, u32::MAX).is_empty());
    }
}
