//! The terminal: its modes, input and output. Finished lines go into its own scrollback, and only a
//! small region at the bottom is repainted. Not here: the content of the lines, which is in `view`.

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

/// The shortest time between two frames of continuous output: 30 a second at most. A key is shown at once.
const FRAME: Duration = Duration::from_millis(34);

/// After a resize, only answers to keys are painted until the size has been stable for this long. tmux 3.3 reports each
/// size up to 250 ms after it has rewrapped the rows: a frame in between would count the region's rows wrongly.
const SETTLE: Duration = Duration::from_millis(300);

/// How long after the size is stable the region is painted once more. A terminal that becomes lower cuts off what is below
/// the cursor; tmux 3.3 does not report intermediate sizes when the last one equals the one it reported before.
const AGAIN: Duration = Duration::from_millis(700);

/// How lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// With a region at the bottom that is repainted.
    Painted(Colours, Reflow),
    /// Lines only, without cursor movement or styles: for screen readers and simple terminals. Input comes as lines.
    Plain,
}

/// The terminal of this process. Its former state is restored when this is dropped, on a panic, and by [`restore`].
#[derive(Debug)]
pub(crate) struct Terminal {
    device: Device,
    writer: Writer,
    /// Output that is not painted yet, set by [`Terminal::draw`].
    pending: Option<(Vec<Line<'static>>, Live)>,
    /// When the last frame was painted.
    painted: Option<Instant>,
    /// Whether the next frame answers the user, and is painted without delay.
    is_awaited: bool,
    /// The last known size, and until when it may still change.
    size: Size,
    settled: Option<Instant>,
    /// When the region is painted once more after a resize.
    again: Option<Instant>,
    /// Whether the size has changed since the last key, or has not been stable for long enough.
    is_resized: bool,
}

#[derive(Debug)]
enum Writer {
    Painter(Painter),
    Printer(Printer),
}

impl Terminal {
    /// Opens the terminal of this process: that of standard input, else the controlling one. It sends no query that
    /// needs an answer.
    ///
    /// # Errors
    /// There is none, or it cannot be read or written.
    pub(crate) fn open(form: Form) -> io::Result<Self> {
        Self::open_at(&device::path()?, form)
    }

    /// Opens the terminal at `path`.
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

    /// The present size.
    pub(crate) fn size(&self) -> Size {
        self.device.size()
    }

    /// Whether the region is painted and keys arrive one by one; otherwise input arrives in lines.
    pub(crate) const fn is_painted(&self) -> bool {
        matches!(self.writer, Writer::Painter(_))
    }

    /// The next input. Delayed output is painted meanwhile, as soon as it is due.
    ///
    /// # Errors
    /// The terminal cannot be read or written. A terminal that is gone is [`Input::Closed`].
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost when the future is dropped.
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
                // A resize event, so that everything is drawn again.
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
                // Before that, keys are shown and the size may still change.
                self.is_resized &= self.settled.is_some_and(|settled| settled > Instant::now());
            }
            return Ok(input);
        }
    }

    /// Adds finished lines to the scrollback, and makes `live` the region. It is painted at once after an
    /// input, or when the last frame and the last resize are long enough ago; otherwise by the next call of this method,
    /// [`Terminal::next`] or [`Terminal::flush`] that is due.
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

    /// Paints delayed output.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Some((finished, mut live)) = self.pending.take() else { return Ok(()) };
        if let Writer::Painter(painter) = &mut self.writer
            && !modes::is_entered()
        {
            // A panic has restored the terminal, and the program continues: a tool may panic. Its message is above by now.
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

    /// Copies a text to the clipboard of the user's machine, if the terminal permits that (OSC 52).
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        if !self.is_painted() {
            return Ok(());
        }
        self.device.write(&format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)))
    }

    /// The size has changed, and may change again soon. Until a key is typed the cursor is drawn as a cell: a terminal may have
    /// wrapped rows without a report, so the cursor's row could not be counted.
    fn unsettle(&mut self) {
        let settled = Instant::now() + SETTLE;
        self.settled = Some(settled);
        self.again = Some(settled + AGAIN);
        self.is_resized = true;
    }

    /// Paints the region once more if that is due.
    fn paint_again(&mut self) -> io::Result<()> {
        match &mut self.writer {
            _ if self.again.take_if(|again| *again <= Instant::now()).is_none() => Ok(()),
            Writer::Painter(painter) if modes::is_entered() => {
                self.device.write(&painter.paint_again())
            }
            Writer::Painter(_) | Writer::Printer(_) => Ok(()),
        }
    }

    /// Notifies the user. A plain terminal has no desktop messages, so the bell is used there.
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

    /// Whether the next frame may be painted now; this also checks the size, which may be known before it is reported.
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
            // The terminal was restored already, and is not opened again.
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
