//! Removes control characters, direction overrides and invisible characters from a text.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The longest escape sequence that is removed whole, in characters. Of a longer one, or one that
/// does not end, only the escape character goes.
const SEQUENCE_MAX: usize = 256;

/// Removes what a reader cannot see but a terminal or a model would act on.
///
/// Kept are `\n` and `\t`. `\r\n` and a lone `\r` become `\n`, so do the Unicode line and paragraph
/// separators. Terminal escape sequences go whole; all other C0 and C1 controls, direction marks
/// and overrides, zero-width and tag characters, variation selectors behind ASCII and runs of them go too. A
/// joiner between two characters outside ASCII stays: Persian, Indic scripts and emoji need it.
/// Cleaning clean text changes nothing and borrows it.
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let output = Cleaner::default().run(text);
    if output == text { Cow::Borrowed(text) } else { Cow::Owned(output) }
}

#[derive(Default)]
struct Cleaner {
    output: String,
    /// A joiner that stays only if the next kept character is outside ASCII.
    joiner: Option<char>,
}

impl Cleaner {
    fn run(mut self, text: &str) -> String {
        self.output.reserve(text.len());
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '\u{1b}' => skip_escape(&mut chars),
                '\u{9b}' => skip_control_sequence(&mut chars),
                '\r' => {
                    chars.next_if_eq(&'\n');
                    self.keep('\n');
                }
                '\u{2028}' | '\u{2029}' => self.keep('\n'),
                '\n' | '\t' => self.keep(char),
                '\u{200c}' | '\u{200d}' if !ends_in_ascii(&self.output) => {
                    self.joiner.get_or_insert(char);
                }
                '\u{fe0e}' | '\u{fe0f}' => {
                    // Behind a digit it makes a keycap; behind other ASCII it only hides.
                    let keycap = chars.peek() == Some(&'\u{20e3}');
                    let hides = ends_in_ascii(&self.output) && !keycap;
                    if !self.output.ends_with(is_selector) && !hides {
                        self.keep(char);
                    }
                }
                char if char.is_control() || is_invisible(char) => {}
                char => self.keep(char),
            }
        }
        self.output
    }

    fn keep(&mut self, char: char) {
        if let Some(joiner) = self.joiner.take()
            && !char.is_ascii()
            && !is_selector(char)
        {
            self.output.push(joiner);
        }
        self.output.push(char);
    }
}

/// True at the start of a text and after an ASCII character.
fn ends_in_ascii(text: &str) -> bool {
    text.chars().next_back().is_none_or(|char| char.is_ascii())
}

fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe0e}' | '\u{fe0f}')
}

/// Nothing is drawn for it: [`is_invisible`], joiners, line and paragraph separators.
pub(crate) fn is_unseen(char: char) -> bool {
    is_invisible(char) || matches!(char, '\u{2028}' | '\u{2029}')
}

/// Format characters with no width, direction controls, fillers, tags, other variation selectors,
/// noncharacters.
fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// After an escape character: the rest of its sequence, if it is one and ends.
fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | '_' | '^' | 'X') => skip_string(chars),
        Some('(' | ')' | '*' | '+' | '#' | ' ') => {
            chars.next();
            chars.next_if(char::is_ascii_graphic);
        }
        Some('7' | '8' | '=' | '>' | 'c' | 'D' | 'E' | 'H' | 'M' | 'N' | 'O' | 'Z') => {
            chars.next();
        }
        _ => {}
    }
}

/// Parameters, then one final character.
fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    for _ in 0..SEQUENCE_MAX {
        if chars.next_if(|char| matches!(char, ' '..='?')).is_none() {
            break;
        }
    }
    chars.next_if(|char| matches!(char, '@'..='~'));
}

/// A string sequence up to its terminator, which must stand on the same line.
fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    let mut ahead = chars.clone();
    for length in 1..=SEQUENCE_MAX {
        match ahead.next() {
            None | Some('\n' | '\r') => return,
            Some('\u{7}' | '\u{9c}') => {
                chars.nth(length - 1);
                return;
            }
            Some('\u{1b}') => {
                let ends = ahead.peek() == Some(&'\\');
                if ends {
                    chars.nth(length);
                }
                return;
            }
            Some(_) => {}
        }
    }
}
