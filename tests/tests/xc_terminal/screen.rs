//! A home folder, a project, a scripted model, and `xc` on a pseudo-terminal whose other end the test holds.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mock_model::{MockModel, Recorded, Reply, Script, Turn};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use serde_json::Value;
use tests::harness::{StateDir, wait_until};

/// How long something is waited for on a machine that is busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// High enough that a test's whole conversation stays on the screen.
const ROWS: u16 = 70;
const COLUMNS: u16 = 100;

/// Where `xc` runs.
pub(crate) struct Place {
    pub(crate) folder: StateDir,
    pub(crate) mock: MockModel,
    environment: Vec<(OsString, OsString)>,
}

/// A running `xc`, and what its terminal shows.
pub(crate) struct Screen {
    child: Child,
    master: File,
    slave: PathBuf,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    /// The terminal's modes before the program began.
    modes: Termios,
}

struct Shown {
    parser: vt100::Parser,
    raw: Vec<u8>,
    is_closed: bool,
}

impl Place {
    /// A place in which the model says these turns, one a request; a request without tools, which is the one for
    /// the summary, gets words of its own.
    pub(crate) async fn with_turns<const N: usize>(turns: [Turn; N]) -> Self {
        let replies = turns.map(|turn| turn.in_pieces(7).into());
        Self::with_replies(replies).await
    }

    pub(crate) async fn with_replies<const N: usize>(replies: [Reply; N]) -> Self {
        let mut replies = replies.into_iter();
        let script = Script::choose(move |asked: &Recorded| match asked.tools().is_empty() {
            true => Reply::Text("{\"title\": \"A title\", \"summary\": \"In its words.\"}".into()),
            false => replies.next().unwrap_or(Reply::Empty),
        });
        let folder = StateDir::new().unwrap();
        let mock = MockModel::local(script).await.unwrap();
        let mut environment = tests::xc::environment(&folder, &mock.base_url());
        environment.push(("TERM".into(), "xterm-256color".into()));
        Self { folder, mock, environment }
    }

    /// Without any key, in this language.
    pub(crate) fn without_key(mut self, lang: &str) -> Self {
        self.environment.retain(|(name, _)| !name.to_string_lossy().starts_with("OPENAI_"));
        self.environment.retain(|(name, _)| name != "LANG");
        self.environment.push(("LANG".into(), lang.into()));
        self
    }

    /// With one more variable.
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The variables of the user.
    pub(crate) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.work().join(path)).unwrap()
    }

    /// The bodies of the requests of turns, in order.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let requests = self.mock.requests().into_iter();
        requests.map(|request| request.json()).filter(|body| body.get("tools").is_some()).collect()
    }

    /// Waits until the model was asked so often: "Thinking..." stands there before the request is sent, and an `xc`
    /// that ends in between leaves its answer to the next one.
    pub(crate) async fn asked(&self, times: usize) {
        assert!(
            wait_until(LIMIT, || self.bodies().len() >= times).await,
            "{} requests",
            self.bodies().len()
        );
    }

    /// Starts `xc` with these words on a terminal of its own.
    pub(crate) fn start(&self, words: &[&str]) -> Screen {
        self.start_with(words, None)
    }

    /// The same with `input` on standard input, which is then a pipe.
    pub(crate) fn start_with(&self, words: &[&str], input: Option<&str>) -> Screen {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        let open = || {
            let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
            OpenOptions::new().read(true).write(true).custom_flags(flags).open(&slave).unwrap()
        };
        let ours = open();
        tcsetwinsize(&ours, size).unwrap();
        let modes = tcgetattr(&ours).unwrap();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]);
        if input.is_some() {
            command.args(["sh", "-c", "cat \"$PIPED\" | \"$@\"", "sh"]);
        }
        command.arg(env!("CARGO_BIN_EXE_xc-under-test")).args(words);
        command.current_dir(self.folder.work()).env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(input) = input {
            let path = self.folder.temp().join("piped");
            fs::write(&path, input).unwrap();
            command.env("PIPED", path);
        }
        command.stdin(open()).stdout(open()).stderr(open());
        let child = command.spawn().unwrap();
        drop((command, ours));
        let parser = vt100::Parser::new(ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
        let shown = Shown { parser, raw: Vec::new(), is_closed: false };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let master = File::from(master);
        listen(master.try_clone().unwrap(), Arc::clone(&shown));
        Screen { child, master, slave, shown, modes }
    }
}

impl Screen {
    /// Waits until the screen shows all of these at once, and returns what it shows.
    pub(crate) fn wait(&self, texts: &[&str]) -> String {
        self.wait_until(&format!("{texts:?}"), |shown| {
            texts.iter().all(|text| shown.contains(text))
        })
    }

    /// Waits until the screen shows none of it any more.
    pub(crate) fn wait_gone(&self, text: &str) -> String {
        self.wait_until(&format!("no {text:?}"), |shown| !shown.contains(text))
    }

    /// Waits until what the screen shows meets this, and returns it.
    pub(crate) fn wait_until(&self, what: &str, is_met: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + LIMIT;
        let (shown, changed) = &*self.shown;
        let mut now = shown.lock().unwrap();
        loop {
            let text = now.parser.screen().contents();
            if is_met(&text) {
                return text;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !now.is_closed, "not seen: {what}\n{text}");
            now = changed.wait_timeout(now, left).unwrap().0;
        }
    }

    /// Types a text, key by key as a person does.
    pub(crate) fn typed(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }

    /// Types a text and Enter.
    pub(crate) fn say(&mut self, text: &str) {
        self.typed(text);
        // The text is there before Enter is: both at once could be a paste.
        let first: String = text.chars().take(20).collect();
        self.wait(&[&first]);
        self.typed("\r");
    }

    /// Everything that was written to the terminal.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.shown.0.lock().unwrap().raw).into_owned()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until everything that was written is read: the reader may lag behind the end of the program.
    fn wait_for_the_last_words(&self, until: Instant) {
        let (shown, changed) = &*self.shown;
        let mut now = shown.lock().unwrap();
        while !now.is_closed {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "something holds the terminal open");
            now = changed.wait_timeout(now, left).unwrap().0;
        }
    }

    /// Waits for the end of what held a conversation. The terminal is as it was before.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let status = self.left();
        let raw = self.raw();
        let (entered, left) = (raw.rfind("\x1b[?2004h"), raw.rfind("\x1b[?2004l"));
        assert!(entered < left, "pastes stay in brackets");
        status
    }

    /// Waits for the end. The terminal's modes are as they were before.
    pub(crate) fn left(&mut self) -> ExitStatus {
        let until = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it does not end\n{}", self.wait(&[]));
            thread::sleep(Duration::from_millis(5));
        };
        self.wait_for_the_last_words(until);
        let slave = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlags::NOCTTY).bits().cast_signed())
            .open(&self.slave);
        if let Ok(slave) = slave {
            let modes = tcgetattr(&slave).unwrap();
            assert_eq!(modes.local_modes, self.modes.local_modes);
            assert_eq!(modes.input_modes, self.modes.input_modes);
            assert_eq!(modes.output_modes, self.modes.output_modes);
        }
        status
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(mut master: File, shown: Arc<(Mutex<Shown>, Condvar)>) {
    thread::spawn(move || {
        let mut part = [0; 4096];
        let (shown, changed) = &*shown;
        loop {
            // The end of a terminal is an error.
            let length = master.read(&mut part).unwrap_or(0);
            let mut now = shown.lock().unwrap();
            now.parser.process(&part[..length]);
            now.raw.extend_from_slice(&part[..length]);
            now.is_closed = length == 0;
            changed.notify_all();
            if length == 0 {
                return;
            }
        }
    });
}
