//! The terminal's modes: raw mode, bracketed paste, the kitty keyboard protocol. The former modes are restored on drop, on
//! a panic and by [`restore`]. Not here: reading and writing.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use tokio::sync::Notify;

use super::screen::ERASE;

/// Enables bracketed paste, and asks whether the keyboard can distinguish Shift+Enter; the answer comes at any time or never.
const ENTER: &str = "\x1b[?2004h\x1b[?u";

/// Enables distinct codes for keys that have no byte of their own (kitty keyboard protocol, level 1).
const TELL_KEYS: &str = "\x1b[>1u";

/// What must be restored: set by [`enter`] and [`tell_keys`], taken by [`restore`].
static SAVED: Mutex<Option<Saved>> = Mutex::new(None);

/// Notified when a panic has restored the terminal.
static LEFT: Notify = Notify::const_new();

struct Saved {
    tty: OwnedFd,
    termios: Termios,
    /// Whether [`TELL_KEYS`] was written.
    tells_keys: bool,
    /// Rows of the live region above the cursor.
    above: u16,
}

/// Puts the terminal into raw mode. The call does not block.
///
/// # Errors
/// `tty` is not a terminal, or cannot be written.
pub(super) fn enter(tty: &File) -> io::Result<()> {
    static HOOK: Once = Once::new();
    let termios = tcgetattr(tty)?;
    let mut raw = termios.clone();
    raw.make_raw();
    let own = tty.as_fd().try_clone_to_owned()?;
    *saved() = Some(Saved { tty: own, termios, tells_keys: false, above: 0 });
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
            LEFT.notify_one();
        }));
    });
    tcsetattr(tty, OptionalActions::Now, &raw)?;
    (&*tty).write_all(ENTER.as_bytes())
}

/// Enables the keyboard protocol, after the terminal has reported support.
///
/// # Errors
/// The terminal cannot be written.
pub(super) fn tell_keys(tty: &File) -> io::Result<()> {
    match &mut *saved() {
        Some(saved) if !saved.tells_keys => saved.tells_keys = true,
        Some(_) | None => return Ok(()),
    }
    (&*tty).write_all(TELL_KEYS.as_bytes())
}

/// Sets how many rows of the live region are above the cursor: they are erased at the end.
pub(super) fn region_above(rows: u16) {
    if let Some(saved) = &mut *saved() {
        saved.above = rows;
    }
}

/// Whether the terminal is raw: since [`enter`], and until [`restore`] or a panic anywhere in the program.
pub(super) fn is_entered() -> bool {
    saved().is_some()
}

/// Waits until a panic has restored the terminal and its message is printed. The program may continue.
///
/// # Cancel safety
/// No panic is missed.
pub(super) async fn left() {
    LEFT.notified().await;
}

/// Restores the terminal, and erases the live region. A second call does nothing.
pub(crate) fn restore() {
    let Some(Saved { tty, termios, tells_keys, above }) = saved().take() else { return };
    let keys = if tells_keys { "\x1b[<u" } else { "" };
    let up = if above > 0 { format!("\x1b[{above}A") } else { String::new() };
    let text = format!("\x1b[?2026l\x1b[0m\x1b[?7h{keys}\x1b[?2004l{up}{ERASE}\x1b[?25h");
    // A terminal that is gone needs nothing.
    let tty = File::from(tty);
    let _ = (&tty).write_all(text.as_bytes());
    // A late answer of the terminal must not reach the shell. Output is not drained, since it may be stopped.
    let _ = tcflush(&tty, QueueSelector::IFlush);
    let _ = tcsetattr(&tty, OptionalActions::Now, &termios);
}

fn saved() -> MutexGuard<'static, Option<Saved>> {
    SAVED.lock().unwrap_or_else(PoisonError::into_inner)
}
