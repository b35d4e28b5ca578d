//! The terminal: its modes, what is typed, and what is written. Finished lines go into its own scrollback, and only a
//! small region at the bottom is painted again. Absent: what the lines say, which is `view`.

mod device;
mod door;
mod input;
mod key;
mod modes;
mod painter;
mod plain;
mod rows;
mod screen;
mod sgr;

use std::io;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratatui_core::text::Line;
use tokio::time::{Instant, sleep_until};

use device::Device;
use painter::Painter;
use plain::Printer;

pub(crate) use door::shown;
pub(crate) use input::Input;
pub(crate) use key::{Code, Key};
pub(crate) use modes::restore;
pub(crate) use painter::Reflow;
pub(crate) use rows::wrapped;
pub(crate) use screen::{Live, Notify, Pointer, Size};
pub(crate) use sgr::Colours;

/// Between two frames of a flood: 30 a second at most. A key is shown at once.
const FRAME: Duration = Duration::from_millis(34);

/// After a resize only what answers a key is painted, until the size stays for so long. tmux 3.3 tells a program each next
/// size up to 250 ms after it has wrapped the rows: a frame in between would count the region's rows wrongly.
const SETTLE: Duration = Duration::from_millis(300);

/// So long after the size has settled the region is painted once more. A terminal that becomes lower cuts off what is below
/// the cursor; tmux 3.3 does not tell of sizes in between where the last one is the one that it told before.
const AGAIN: Duration = Duration::from_millis(700);

/// How lines get to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A region at the bottom is painted again and again.
    Painted(Colours, Reflow),
    /// Lines only, without cursor movement or styles: for screen readers and simple terminals. Input comes as lines.
    Plain,
}

/// The terminal of this process. As it was before when this is dropped, when the program panics, and after [`restore`].
#[derive(Debug)]
pub(crate) struct Terminal {
    device: Device,
    writer: Writer,
    /// What is not painted yet, written by [`Terminal::draw`].
    pending: Option<(Vec<Line<'static>>, Live)>,
    /// When the last frame was painted.
    painted: Option<Instant>,
    /// The next frame answers the user, so it is not held back.
    is_awaited: bool,
    /// The size that was seen last, and until when it may still change.
    size: Size,
    settled: Option<Instant>,
    /// When the region is painted once more, after a resize.
    again: Option<Instant>,
    /// It had another size when a key was last typed, or not for long enough.
    is_resized: bool,
}

#[derive(Debug)]
enum Writer {
    Painter(Painter),
    Printer(Printer),
}

impl Terminal {
    /// Takes the terminal of this process: that of standard input, else the controlling one. Nothing is asked of it that
    /// is waited for.
    ///
    /// # Errors
    /// There is none, or it cannot be read or written.
    pub(crate) fn open(form: Form) -> io::Result<Self> {
        Self::open_at(&device::path()?, form)
    }

    /// Takes the terminal at `path`.
    fn open_at(path: &Path, form: Form) -> io::Result<Self> {
        let device = Device::open(path)?;
        let writer = match form {
            Form::Painted(colours, reflow) => {
                modes::enter(device.file())?;
                Writer::Painter(Painter::new(colours, reflow))
            }
            Form::Plain => Writer::Printer(Printer::default()),
        };
        let size = device.size();
        Ok(Self {
            device,
            writer,
            pending: None,
            painted: None,
            is_awaited: true,
            size,
            settled: None,
            again: None,
            is_resized: false,
        })
    }

    /// How large it is now.
    pub(crate) fn size(&self) -> Size {
        self.device.size()
    }

    /// Whether keys come one by one and the region is painted; else lines come whole.
    pub(crate) const fn is_painted(&self) -> bool {
        matches!(self.writer, Writer::Painter(_))
    }

    /// The next input. What was held back is painted meanwhile, as soon as it is due.
    ///
    /// # Errors
    /// The terminal cannot be read or written. Where it is gone, that is [`Input::Closed`].
    ///
    /// # Cancel safety
    /// Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> io::Result<Input> {
        loop {
            let due = self.pending.is_some().then(|| self.due());
            let again = self.again.map(|again| again.max(self.due()));
            let due = [due, again].into_iter().flatten().min();
            let is_painted = self.is_painted();
            let device = &mut self.device;
            let next = async {
                if is_painted { device.next_key().await } else { device.next_line().await }
            };
            let input = tokio::select! {
                input = next => input?,
                // To be drawn again.
                () = modes::left(), if is_painted => Input::Resize,
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    if self.is_due() {
                        self.flush()?;
                        self.paint_again()?;
                    }
                    continue;
                }
            };
            if input == Input::Resize {
                self.unsettle();
            } else {
                self.is_awaited = true;
                // Before that a key is shown, and the size may still change.
                self.is_resized &= self.settled.is_some_and(|settled| settled > Instant::now());
            }
            return Ok(input);
        }
    }

    /// Adds finished lines to the scrollback, and makes `live` the region. It is painted at once where that was asked
    /// for by an input, or the last frame and the last resize are long ago, else by the next call of this, [`Terminal::next`] or
    /// [`Terminal::flush`] that is due.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn draw(&mut self, finished: Vec<Line<'static>>, live: Live) -> io::Result<()> {
        match &mut self.pending {
            Some((lines, region)) => {
                lines.extend(finished);
                *region = live;
            }
            None => self.pending = Some((finished, live)),
        }
        if std::mem::take(&mut self.is_awaited) || self.is_due() {
            self.flush()?;
        }
        Ok(())
    }

    /// Paints what was held back.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Some((finished, mut live)) = self.pending.take() else { return Ok(()) };
        if let Writer::Painter(painter) = &mut self.writer
            && !modes::is_entered()
        {
            // Something has panicked and the program goes on: a tool may. What it said is above by now.
            modes::enter(self.device.file())?;
            painter.forget();
        }
        if self.is_resized {
            live.pointer = Pointer::Drawn;
        }
        let text = match &mut self.writer {
            Writer::Painter(painter) => {
                let text = painter.paint(self.device.size(), &finished, &live);
                modes::region_above(painter.above());
                text
            }
            Writer::Printer(printer) => printer.print(&finished, &live),
        };
        self.painted = Some(Instant::now());
        self.device.write(&text)
    }

    /// Puts a text into the clipboard of the user's machine, where the terminal lets programs do that (OSC 52).
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        if !self.is_painted() {
            return Ok(());
        }
        self.device.write(&format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)))
    }

    /// The size has changed, and may again soon. Until a key is typed the cursor is drawn: its place must not have to be
    /// counted in rows that a terminal has wrapped and not told of.
    fn unsettle(&mut self) {
        let settled = Instant::now() + SETTLE;
        self.settled = Some(settled);
        self.again = Some(settled + AGAIN);
        self.is_resized = true;
    }

    /// Paints the region once more where that is due.
    fn paint_again(&mut self) -> io::Result<()> {
        match &mut self.writer {
            _ if self.again.take_if(|again| *again <= Instant::now()).is_none() => Ok(()),
            Writer::Painter(painter) if modes::is_entered() => {
                self.device.write(&painter.paint_again())
            }
            Writer::Painter(_) | Writer::Printer(_) => Ok(()),
        }
    }

    /// Calls the user. A plain terminal knows no messages, so there it is the bell.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn call(&mut self, how: Notify, text: &str) -> io::Result<()> {
        match how {
            Notify::Message if self.is_painted() => {
                self.device.write(&format!("\x1b]9;{}\x07", shown(text)))
            }
            Notify::Bell | Notify::Message => self.device.write("\x07"),
            Notify::Off => Ok(()),
        }
    }

    /// When the next frame may be painted.
    fn due(&self) -> Instant {
        let paced = self.painted.map_or_else(Instant::now, |painted| painted + FRAME);
        self.settled.map_or(paced, |settled| settled.max(paced))
    }

    /// The next frame may be painted now: also by the size, which is known before it is said.
    fn is_due(&mut self) -> bool {
        let size = self.device.size();
        if size != std::mem::replace(&mut self.size, size) {
            self.unsettle();
        }
        self.due() <= Instant::now()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.is_painted() && !modes::is_entered() {
            // It was given back, and is not taken again.
            return;
        }
        // A terminal that is gone shows nothing.
        let _ = self.flush();
        if self.is_painted() {
            restore();
        }
    }
}

#[cfg(test)]
mod tests;
