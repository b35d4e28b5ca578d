//! The part of a prompt that is read. Users write their request before or after pasted text.

use std::borrow::Cow;

/// Size of the head that is read, in bytes: four screens of text.
const HEAD: usize = 6_000;
/// Size of the tail that is read, in bytes.
const TAIL: usize = 2_000;
/// Replaces the omitted middle.
const GAP: &str = "\n\n";

/// The prompt, or its head and its tail when it is long.
#[must_use]
pub fn window(prompt: &str) -> Cow<'_, str> {
    if prompt.len() <= HEAD + TAIL {
        return Cow::Borrowed(prompt);
    }
    let head = &prompt[..prompt.floor_char_boundary(HEAD)];
    let tail = &prompt[prompt.ceil_char_boundary(prompt.len() - TAIL)..];
    Cow::Owned(format!("{head}{GAP}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::{GAP, HEAD, TAIL, window};

    #[test]
    fn a_paste_is_read_at_both_ends() {
        assert_eq!(window("短"), "短");
        let paste = format!("first{}last", "字".repeat(100_000));
        let read = window(&paste);
        assert!(read.starts_with("first") && read.ends_with("last"));
        assert!(read.len() <= HEAD + GAP.len() + TAIL);
    }
}
