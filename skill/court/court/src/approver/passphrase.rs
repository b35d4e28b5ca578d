//! Reads a passphrase from the terminal, without echo, or from standard input. It is never an argument, a
//! variable or a file, and its memory is cleared. Not here: its use.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};

use host::process::stay_unread;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use zeroize::Zeroizing;

/// The longest passphrase, in bytes.
const BYTES_MAX: usize = 1024;
/// Minimum length of a new one, in characters.
const CHARS_MIN: usize = 12;
/// Minimum number of different characters in a new one.
const DIFFERENT_MIN: usize = 6;

/// Why no passphrase was read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// This process has no terminal.
    #[error("no terminal to ask for the passphrase on")]
    NoTerminal,
    /// The user cancelled.
    #[error("no passphrase was given")]
    Ended,
    /// It is not valid text, or too long.
    #[error("a passphrase is text of at most {BYTES_MAX} bytes")]
    NoText,
    /// The two inputs differ.
    #[error("the two passphrases differ")]
    Differ,
    /// It is too easy to guess.
    #[error("{0}")]
    Weak(&'static str),
    /// The terminal or standard input cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Asks on the terminal, without echo.
///
/// # Errors
/// [`Unread`].
pub fn ask(question: &str) -> Result<Zeroizing<String>, Unread> {
    let mut terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map_err(|_| Unread::NoTerminal)?;
    stay_unread();
    let quiet = Quiet::new(&terminal)?;
    terminal.write_all(question.as_bytes())?;
    let line = line(&mut terminal);
    // The typed newline is not echoed either.
    terminal.write_all(b"\r\n")?;
    drop(quiet);
    line
}

/// Asks for a new one, twice.
///
/// # Errors
/// [`Unread`].
pub fn ask_for_new() -> Result<Zeroizing<String>, Unread> {
    let first = ask("New passphrase (12 characters or more; several words are good): ")?;
    check(&first)?;
    let second = ask("The same once more: ")?;
    if *first != *second {
        return Err(Unread::Differ);
    }
    Ok(first)
}

/// Reads the first line of standard input.
///
/// # Errors
/// [`Unread`].
pub fn of_stdin() -> Result<Zeroizing<String>, Unread> {
    stay_unread();
    let line = line(&mut io::stdin().lock());
    match line {
        Ok(line) if line.is_empty() => Err(Unread::Ended),
        line => line,
    }
}

/// Checks the strength of a new one: the encrypted key may be copied and attacked offline.
///
/// # Errors
/// [`Unread::Weak`].
fn check(passphrase: &str) -> Result<(), Unread> {
    if passphrase.chars().count() < CHARS_MIN {
        return Err(Unread::Weak("a passphrase has at least 12 characters"));
    }
    let mut different: Vec<char> = passphrase.to_lowercase().chars().collect();
    different.sort_unstable();
    different.dedup();
    let runs = passphrase.chars().zip(passphrase.chars().skip(1));
    let counts_up = runs.filter(|(one, next)| (*next as u32).abs_diff(*one as u32) <= 1).count();
    if different.len() < DIFFERENT_MIN || counts_up * 2 > passphrase.chars().count() {
        return Err(Unread::Weak("this passphrase is too regular; take several words"));
    }
    Ok(())
}

/// Reads one line in raw mode, key by key.
fn line(input: &mut impl Read) -> Result<Zeroizing<String>, Unread> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(BYTES_MAX));
    let mut key = Zeroizing::new([0_u8]);
    loop {
        if input.read(&mut *key)? == 0 {
            break;
        }
        match key[0] {
            b'\n' | b'\r' => break,
            // Interrupt, quit, and an end of input that was typed before echo was switched off.
            0 | 3 | 28 => return Err(Unread::Ended),
            4 if bytes.is_empty() => return Err(Unread::Ended),
            4 => break,
            // Backspace removes a whole character.
            8 | 127 => while bytes.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            21 => bytes.clear(),
            byte if bytes.len() < BYTES_MAX => bytes.push(byte),
            _ => return Err(Unread::NoText),
        }
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| Unread::NoText)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// A terminal without echo until this is dropped.
struct Quiet {
    terminal: File,
    before: Termios,
}

impl Quiet {
    fn new(terminal: &File) -> Result<Self, Unread> {
        let before = tcgetattr(terminal).map_err(|_| Unread::NoTerminal)?;
        let mut quiet = before.clone();
        // Signals by keys are disabled: a process killed here would leave the terminal without echo.
        quiet.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &quiet).map_err(io::Error::from)?;
        Ok(Self { terminal: terminal.try_clone()?, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // If the terminal is gone, nothing has to be restored.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::{check, line};

    #[test]
    fn a_line_is_read_as_it_is_typed() {
        for (typed, read) in [
            (&b"a secret\nmore"[..], Some("a secret")),
            (b"a secret\r", Some("a secret")),
            (b"a secret", Some("a secret")),
            (b"ax\x7f sec\xc3\xa9\x7fret\n", Some("a secret")),
            (b"wrong\x15a secret\n", Some("a secret")),
            (b"a sec\x03ret\n", None),
            (b"\x04", None),
            (b"\xff\xfe\n", None),
        ] {
            let found = line(&mut &typed[..]).ok();
            assert_eq!(found.as_ref().map(|line| line.as_str()), read, "{typed:?}");
        }
        assert!(line(&mut &[b'a'; 2000][..]).is_err());
    }

    #[test]
    fn what_can_be_guessed_is_refused() {
        for weak in
            ["", "short", "aaaaaaaaaaaaaaaa", "abcdefghijklmnop", "121212121212", "1234567890123"]
        {
            assert!(check(weak).is_err(), "{weak}");
        }
        for good in ["four words of mine", "korrektes Pferd Batterie", "Tr0ub4dor&3-zebra"] {
            assert!(check(good).is_ok(), "{good}");
        }
    }
}
