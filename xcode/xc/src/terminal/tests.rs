//! The terminal on a real pseudo-terminal, whose other end belongs to the test and answers no queries.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use ratatui_core::text::Line;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

use super::{Code, Colours, Form, Input, Key, Live, Notify, Reflow, Size, Terminal, restore};
use crate::view::editor::{Editor, Outcome};

/// The longest wait for what must come.
const LIMIT: Duration = Duration::from_secs(20);

const PAINTED: Form = Form::Painted(Colours::On, Reflow::Wraps);

/// A process has one terminal.
static ONE: Mutex<()> = Mutex::const_new(());

/// The other side of a terminal.
struct Pty {
    master: File,
    reader: Receiver,
    path: PathBuf,
    /// All that was written to the terminal.
    seen: String,
    _one: MutexGuard<'static, ()>,
}

impl Pty {
    async fn new() -> Self {
        let one = ONE.lock().await;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_bytes();
        let path = PathBuf::from(std::ffi::OsString::from_vec(name));
        rustix::io::ioctl_fionbio(&master, true).unwrap();
        let master = File::from(master);
        let reader = Receiver::from_file_unchecked(master.try_clone().unwrap()).unwrap();
        let pty = Self { master, reader, path, seen: String::new(), _one: one };
        pty.resize(Size { columns: 60, rows: 20 });
        pty
    }

    fn open(&self, form: Form) -> Terminal {
        Terminal::open_at(&self.path, form).unwrap()
    }

    fn resize(&self, size: Size) {
        let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.master, size).unwrap();
    }

    fn send(&mut self, bytes: &[u8]) {
        self.master.write_all(bytes).unwrap();
    }

    /// Reads until the terminal was sent `text`.
    async fn wait_for(&mut self, text: &str) {
        let read = async {
            let mut buffer = [0; 4_096];
            while !self.seen.contains(text) {
                self.reader.readable().await.unwrap();
                match self.reader.try_read(&mut buffer) {
                    Ok(length) => self.seen.push_str(&String::from_utf8_lossy(&buffer[..length])),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                }
            }
        };
        let is_seen = timeout(LIMIT, read).await.is_ok();
        assert!(is_seen, "{text:?} was not written: {:?}", self.seen);
    }

    /// The modes that the terminal is in.
    fn modes(&self) -> Termios {
        tcgetattr(&self.master).unwrap()
    }
}

fn same(one: &Termios, other: &Termios) -> bool {
    one.local_modes == other.local_modes
        && one.input_modes == other.input_modes
        && one.output_modes == other.output_modes
        && one.control_modes == other.control_modes
}

async fn next(terminal: &mut Terminal) -> Input {
    timeout(LIMIT, terminal.next()).await.expect("an input").unwrap()
}

fn live(text: &str) -> Live {
    Live { lines: vec![Line::from(text.to_owned())], ..Live::default() }
}

#[tokio::test]
async fn the_first_frame_comes_without_any_answer_of_the_terminal() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    terminal.draw(vec![Line::from("welcome")], live("> ready")).unwrap();
    pty.wait_for("> ready").await;
    assert_eq!(terminal.size(), Size { columns: 60, rows: 20 });
}

/// Everything that was set is unset, in any order of what ends it.
fn is_as_before(seen: &str) -> bool {
    ["\x1b[?2026l", "\x1b[?7h", "\x1b[?2004l", "\x1b[?25h", "\x1b[<u"]
        .iter()
        .all(|end| seen.contains(end))
}

#[tokio::test]
async fn dropping_it_leaves_the_terminal_as_it_was_without_the_region() {
    let mut pty = Pty::new().await;
    let before = pty.modes();
    let mut terminal = pty.open(PAINTED);
    assert!(!same(&before, &pty.modes()), "it is raw");
    pty.send(b"\x1b[?0ua");
    assert_eq!(next(&mut terminal).await, Input::Key(Key::of(Code::Char('a'))));
    let mut region = live("one");
    region.lines.push(Line::from("two"));
    terminal.draw(vec![Line::from("done")], region).unwrap();
    drop(terminal);
    pty.wait_for("\r\x1b[K\x1b[1C\x1b[J\r\x1b[?25h").await;
    assert!(is_as_before(&pty.seen), "{:?}", pty.seen);
    assert!(same(&before, &pty.modes()));
}

#[tokio::test]
async fn a_panic_leaves_the_terminal_as_it_was() {
    let mut pty = Pty::new().await;
    let before = pty.modes();
    let mut terminal = pty.open(PAINTED);
    terminal.draw(Vec::new(), live("> x")).unwrap();
    pty.wait_for("> x").await;
    // The terminal outlives the panic: nothing is dropped before the message is printed.
    let panics: JoinHandle<()> = std::thread::spawn(|| panic!("a fault of the program"));
    assert!(panics.join().is_err());
    pty.wait_for("\x1b[J\r\x1b[?25h").await;
    assert!(same(&before, &pty.modes()));
    let written = pty.seen.len();
    restore();
    drop(terminal);
    // The end of file: the last writer is gone, and nothing was written a second time.
    let mut rest = String::new();
    let _ = timeout(LIMIT, pty.reader.read_to_string(&mut rest)).await.unwrap();
    assert_eq!((&*rest, pty.seen.len()), ("", written));
}

/// A tool that panics fails, and the conversation goes on: the terminal is taken again with the next frame, whole.
#[tokio::test]
async fn after_a_panic_that_was_caught_the_terminal_is_painted_again() {
    let mut pty = Pty::new().await;
    let before = pty.modes();
    let mut terminal = pty.open(PAINTED);
    let raw = pty.modes();
    terminal.draw(Vec::new(), live("> x")).unwrap();
    pty.wait_for("> x").await;
    let panics: JoinHandle<()> = std::thread::spawn(|| panic!("a fault of a tool"));
    assert!(panics.join().is_err());
    assert!(same(&before, &pty.modes()));
    pty.seen.clear();
    terminal.draw(Vec::new(), live("> x")).unwrap();
    terminal.flush().unwrap();
    pty.wait_for("> x").await;
    assert!(same(&raw, &pty.modes()) && pty.seen.contains("\x1b[?2004h"), "{:?}", pty.seen);
    drop(terminal);
    assert!(same(&before, &pty.modes()));
}

/// The panic of what holds the terminal drops it on the way: it stays given back.
#[tokio::test]
async fn a_panic_of_who_holds_the_terminal_leaves_it_as_it_was() {
    let mut pty = Pty::new().await;
    let before = pty.modes();
    let mut terminal = pty.open(PAINTED);
    terminal.draw(Vec::new(), live("> x")).unwrap();
    pty.wait_for("> x").await;
    let holds = tokio::spawn(async move {
        terminal.draw(Vec::new(), live("> not painted yet")).unwrap();
        panic!("a fault of the program");
    });
    assert!(holds.await.unwrap_err().is_panic());
    pty.wait_for("\x1b[J\r\x1b[?25h").await;
    assert!(!pty.seen.contains("\x1b[>1u") && pty.seen.contains("\x1b[?2004l"), "{:?}", pty.seen);
    assert!(same(&before, &pty.modes()));
}

#[tokio::test]
async fn keys_are_told_apart_where_the_terminal_says_that_it_can() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    pty.wait_for("\x1b[?u").await;
    assert!(!pty.seen.contains("\x1b[>1u"), "it has not answered");
    pty.send(b"\x1b\r\x1b[?0u\x1b[13;2u\x1b[13;5u\x1b[27u\x1b[Z\x1b[A\x1b[1;5D\x1b[3~\x7f\x01");
    let enter = Key::of(Code::Enter);
    let expected = [
        Key { alt: true, ..enter },
        Key { shift: true, ..enter },
        Key { ctrl: true, ..enter },
        Key::of(Code::Esc),
        Key { shift: true, ..Key::of(Code::Tab) },
        Key::of(Code::Up),
        Key { ctrl: true, ..Key::of(Code::Left) },
        Key::of(Code::Delete),
        Key::of(Code::Backspace),
        Key::ctrl('a'),
    ];
    for key in expected {
        assert_eq!(next(&mut terminal).await, Input::Key(key));
    }
    pty.wait_for("\x1b[>1u").await;
}

#[tokio::test]
async fn escape_alone_is_a_key_and_a_character_in_two_pieces_is_one() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    pty.send(b"\x1b");
    assert_eq!(next(&mut terminal).await, Input::Key(Key::of(Code::Esc)));
    let (first, second) = "漢".as_bytes().split_at(1);
    pty.send(first);
    pty.send(second);
    assert_eq!(next(&mut terminal).await, Input::Key(Key::of(Code::Char('漢'))));
}

#[tokio::test]
async fn a_flood_is_shown_in_few_frames_and_a_key_at_once() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    let began = std::time::Instant::now();
    for number in 0..20_000 {
        let finished = if number % 10 == 0 { vec![Line::from("x")] } else { Vec::new() };
        terminal.draw(finished, live(&format!("frame {number}"))).unwrap();
    }
    let most = 2 + began.elapsed().as_millis() / 33;
    // What was held back comes by itself, without another draw.
    let waits = terminal.next();
    tokio::select! {
        input = waits => panic!("{input:?}"),
        () = pty.wait_for("19999") => {}
    }
    let frames = pty.seen.matches("\x1b[?2026h").count();
    assert!(frames > 1 && u128::try_from(frames).unwrap() <= most + 1, "{frames} frames");
    assert_eq!(pty.seen.matches("x\r\n").count(), 2_000, "each line was written once");

    pty.send(b"k");
    assert_eq!(next(&mut terminal).await, Input::Key(Key::of(Code::Char('k'))));
    // Just painted, so only the key is the reason to paint again; nothing else is called.
    terminal.draw(Vec::new(), live("> k")).unwrap();
    pty.wait_for("> k").await;
}

#[tokio::test]
async fn a_resize_and_the_end_of_the_terminal_are_inputs() {
    let pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    pty.resize(Size { columns: 33, rows: 11 });
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH)
        .unwrap();
    assert_eq!(next(&mut terminal).await, Input::Resize);
    assert_eq!(terminal.size(), Size { columns: 33, rows: 11 });
    let Pty { master, reader, _one, .. } = pty;
    drop((master, reader));
    assert_eq!(next(&mut terminal).await, Input::Closed);
    terminal.draw(Vec::new(), live("nobody sees it")).unwrap_err();
}

#[tokio::test]
async fn after_a_resize_only_what_answers_a_key_is_painted_at_once() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    terminal.draw(Vec::new(), live("> first")).unwrap();
    pty.wait_for("> first").await;
    pty.resize(Size { columns: 33, rows: 11 });
    let resized = std::time::Instant::now();
    terminal.draw(Vec::new(), live("> held")).unwrap();
    // On a machine that took so long, it was rightly painted.
    let is_quick = resized.elapsed() < super::SETTLE;
    pty.send(b"k");
    assert_eq!(next(&mut terminal).await, Input::Key(Key::of(Code::Char('k'))));
    terminal.draw(Vec::new(), live("> k")).unwrap();
    pty.wait_for("> k").await;
    assert!(!is_quick || !pty.seen.contains("> held"), "{:?}", pty.seen);
    terminal.draw(Vec::new(), live("> later")).unwrap();
    // It comes by itself.
    let waits = terminal.next();
    tokio::select! {
        input = waits => panic!("{input:?}"),
        () = pty.wait_for("later") => {}
    }
}

/// What a terminal that is lower for a while has cut off without telling anyone.
#[tokio::test]
async fn some_time_after_a_resize_the_region_is_painted_once_more() {
    let mut pty = Pty::new().await;
    let mut terminal = pty.open(PAINTED);
    terminal.draw(Vec::new(), live("> first")).unwrap();
    pty.resize(Size { columns: 33, rows: 11 });
    terminal.draw(Vec::new(), live("> here")).unwrap();
    let waits = terminal.next();
    tokio::select! {
        input = waits => panic!("{input:?}"),
        () = async {
            pty.wait_for("> here").await;
            pty.seen.clear();
            pty.wait_for("> here").await;
        } => {}
    }
}

#[tokio::test]
async fn the_user_is_called_by_the_bell_a_message_or_not_at_all() {
    for (form, called) in
        [(PAINTED, "\x07\x1b]9;xc 在等你\x07end"), (Form::Plain, "\x07\x07end\r\n")]
    {
        let mut pty = Pty::new().await;
        let mut terminal = pty.open(form);
        for how in [Notify::Off, Notify::Bell, Notify::Message] {
            terminal.call(how, "xc 在等你").unwrap();
        }
        terminal.device.write(if form == PAINTED { "end" } else { "end\n" }).unwrap();
        pty.wait_for("end").await;
        let from = pty.seen.find('\x07').unwrap();
        assert!(pty.seen[from..].starts_with(called), "{:?}", pty.seen);
    }
}

#[tokio::test]
async fn a_plain_terminal_gets_lines_only_and_gives_lines() {
    let mut pty = Pty::new().await;
    let before = pty.modes();
    let mut terminal = pty.open(Form::Plain);
    assert!(!terminal.is_painted() && same(&before, &pty.modes()));
    let mut region = live("⠋ Thinking...");
    region.asked = vec![Line::from("Allow? [y/n]")];
    terminal.draw(vec![Line::from("a \x1b[2Jtool ran")], region.clone()).unwrap();
    terminal.flush().unwrap();
    terminal.draw(vec![Line::from("next")], region).unwrap();
    terminal.flush().unwrap();
    pty.wait_for("next").await;
    assert_eq!(pty.seen, "a tool ran\r\nAllow? [y/n]\r\nnext\r\n");
    pty.send("y\nzweite 行\n".as_bytes());
    assert_eq!(next(&mut terminal).await, Input::Line("y".into()));
    assert_eq!(next(&mut terminal).await, Input::Line("zweite 行".into()));
    drop(terminal);
    pty.wait_for("zweite").await;
    assert!(!pty.seen.contains('\x1b'), "{:?}", pty.seen);
}

/// 5,000 characters of each form, with what the program gets of them: one paste, whole.
#[tokio::test]
async fn a_paste_of_5_000_characters_in_six_forms_is_one_paste() {
    let line = |text: &str, end: &str| {
        let line: String = text.chars().cycle().take(99).collect();
        format!("{line}{end}").repeat(50)
    };
    let bracketed = |text: &str| format!("\x1b[200~{text}\x1b[201~");
    let one_line: String = "abc de ".chars().cycle().take(5_000).collect();
    let with_controls: String = "x\x1b[31my\x03\x04\tz".chars().cycle().take(5_000).collect();
    let forms: [(&str, String, String); 6] = [
        ("brackets, one line", bracketed(&one_line), one_line.clone()),
        ("brackets, CRLF", bracketed(&line("ab ", "\r\n")), line("ab ", "\n")),
        (
            "brackets, Chinese and emoji",
            bracketed(&line("用户👩‍💻e\u{301}", "\r")),
            line("用户👩‍💻e\u{301}", "\n"),
        ),
        ("brackets, control characters", bracketed(&with_controls), with_controls.clone()),
        ("no brackets, one line", one_line.clone(), one_line.clone()),
        ("no brackets, CR", line("用ab\t", "\r"), line("用ab\t", "\n")),
    ];
    for (name, sent, expected) in forms {
        let mut pty = Pty::new().await;
        let mut terminal = pty.open(PAINTED);
        assert!(expected.chars().count() >= 5_000, "{name}");
        let mut bytes = sent.as_bytes();
        let sends = async {
            // The kernel takes at most 4,095 bytes until they are read.
            while !bytes.is_empty() {
                match pty.master.write(bytes) {
                    Ok(length) => bytes = &bytes[length..],
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        tokio::task::yield_now().await;
                    }
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        };
        let ((), input) = tokio::join!(sends, next(&mut terminal));
        assert_eq!(input, Input::Paste(expected.clone()), "{name}");

        // Shown by its beginning, typed behind, sent whole, recalled whole.
        let mut editor = Editor::new(Vec::new());
        editor.paste(&expected);
        let (lines, _) = editor.lines(600, 50, "");
        let shown: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let count = expected.chars().count();
        assert_eq!(shown.last(), Some(&format!("  ... ({count} characters)")), "{name}");
        assert!(shown.len() <= 4, "{name}: {shown:?}");
        // A tab is shown as spaces.
        let beginning = shown[..shown.len() - 1].concat().replace(' ', "").chars().count();
        assert!(beginning <= 500, "{name}: {beginning} characters are shown");
        for letter in "behind".chars() {
            editor.key(Key::of(Code::Char(letter)));
        }
        let (lines, _) = editor.lines(600, 50, "");
        let last = lines.last().map(ToString::to_string);
        assert_eq!(last, Some(format!("  ... ({count} characters)behind")), "{name}");
        let whole = format!("{expected}behind");
        assert_eq!(editor.key(Key::of(Code::Enter)), Outcome::Send(whole.clone()), "{name}");
        assert!(editor.is_empty());
        editor.key(Key::of(Code::Up));
        assert_eq!(editor.text(), whole, "{name}");
        let (lines, _) = editor.lines(600, 500, "");
        assert!(lines.iter().all(|line| !line.to_string().contains("characters)")), "{name}");
    }
}

#[test]
fn open_needs_a_terminal() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _runtime = runtime.enter();
    assert!(Terminal::open_at(file.path(), PAINTED).is_err());
    assert!(OpenOptions::new().read(true).open(file.path()).is_ok());
}
