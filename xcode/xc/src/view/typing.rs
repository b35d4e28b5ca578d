//! The editing keys of shells and Emacs, shared by all text inputs. Not here: which key completes
//! the input.

use super::buffer::Buffer;
use crate::terminal::{Code, Key};

/// A text, and what was last cut from it.
#[derive(Debug, Clone, Default)]
pub(super) struct Typing {
    pub(super) buffer: Buffer,
    /// What Ctrl+Y inserts; set by Ctrl+K, U and W.
    cut: String,
}

impl Typing {
    /// Handles a key; returns `false` if it has no meaning here.
    pub(super) fn key(&mut self, key: Key) -> bool {
        if let Some(char) = key.typed() {
            self.buffer.insert(char.encode_utf8(&mut [0; 4]));
            return true;
        }
        if let Some(to) = motion(key, &self.buffer) {
            self.buffer.go(to);
            return true;
        }
        self.cuts(key) || self.deletes(key)
    }

    fn cuts(&mut self, key: Key) -> bool {
        let Self { buffer, cut } = self;
        let by_word = key.ctrl || key.alt;
        let to = match key.code {
            Code::Char('k') if key.ctrl => {
                *cut = cut_line(buffer);
                return true;
            }
            Code::Char('u') if key.ctrl => buffer.line_start(),
            Code::Char('w') if key.ctrl => buffer.blank_left(),
            Code::Char('d') if key.alt => buffer.word_right(),
            Code::Backspace if by_word => buffer.word_left(),
            _ => return false,
        };
        *cut = buffer.remove_to(to);
        true
    }

    fn deletes(&mut self, key: Key) -> bool {
        let Self { buffer, cut } = self;
        match key.code {
            Code::Char('y') if key.ctrl => buffer.insert(cut),
            Code::Char('h') if key.ctrl => drop(buffer.remove_to(buffer.left())),
            Code::Backspace => drop(buffer.remove_to(buffer.left())),
            Code::Delete => drop(buffer.remove_to(buffer.right())),
            _ => return false,
        }
        true
    }
}

/// Where the cursor goes.
fn motion(key: Key, buffer: &Buffer) -> Option<usize> {
    let by_word = key.ctrl || key.alt;
    Some(match key.code {
        Code::Char('a') if key.ctrl => buffer.line_start(),
        Code::Char('e') if key.ctrl => buffer.line_end(),
        Code::Char('b') if key.alt => buffer.word_left(),
        Code::Char('f') if key.alt => buffer.word_right(),
        Code::Left if by_word => buffer.word_left(),
        Code::Right if by_word => buffer.word_right(),
        Code::Left => buffer.left(),
        Code::Right => buffer.right(),
        Code::Home if key.ctrl => 0,
        Code::End if key.ctrl => buffer.end(),
        Code::Home => buffer.line_start(),
        Code::End => buffer.line_end(),
        _ => return None,
    })
}

/// Cuts to the end of the line; at the end of a line, the line end.
fn cut_line(buffer: &mut Buffer) -> String {
    let end = buffer.line_end();
    buffer.remove_to(if end == buffer.cursor() { buffer.right() } else { end })
}
