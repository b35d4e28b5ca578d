//! In a real tmux, which wraps its rows anew before the program knows of another size.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use mock_model::{Reply, Turn};
use tests::harness::wait_until_some;

use crate::first_run::{self, Seat, Words};
use crate::screen::{LIMIT, Place};

const SIZES: [(u16, u16); 5] = [(60, 24), (132, 40), (45, 24), (100, 30), (80, 36)];

/// What is left of a program that ended can be looked at.
const SETTINGS: &str =
    "set -g history-limit 5000\nset -g default-terminal tmux-256color\nset -g remain-on-exit on\n";

/// Runs a command and keeps its exit code. tmux itself can lose it: before version 3.5 a missed SIGCHLD leaves the pane
/// dead and without a status (tmux 3.3a).
const KEEPING_THE_CODE: &str = r#""$@"; echo $? > "$0""#;

/// A tmux server of its own, gone with this.
struct Tmux {
    /// Where its socket is, named by a short relative path: that of a socket has a limit.
    folder: PathBuf,
}

impl Tmux {
    /// Whether there is one; says so where not.
    fn is_there() -> bool {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|it| it.join("tmux").is_file()));
        if !found {
            skipping::missing("tmux", "run `make debian`");
        }
        found
    }

    /// Starts `xc` with these words in a terminal of 100 by 30 cells.
    fn start(place: &Place, words: &[&str]) -> Self {
        let settings = place.folder.temp().join("tmux.conf");
        fs::write(&settings, SETTINGS).unwrap();
        let tmux = Self { folder: place.folder.temp() };
        let mut all: Vec<OsString> = vec!["-f".into(), settings.into()];
        all.extend(["new-session", "-d", "-x", "100", "-y", "30", "-c"].map(OsString::from));
        all.push(place.folder.work().into());
        all.extend(["sh", "-c", KEEPING_THE_CODE].map(OsString::from));
        all.extend([tmux.exit_code_file().into(), "env".into(), "-i".into()]);
        let own = |name: &std::ffi::OsStr| name == "TERM";
        all.extend(place.environment().iter().filter(|(name, _)| !own(name)).map(variable));
        all.extend(["TERM=tmux-256color", "TMUX=here"].map(OsString::from));
        all.push(env!("CARGO_BIN_EXE_xc-under-test").into());
        all.extend(words.iter().map(OsString::from));
        let made = tmux.ask(&all);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        tmux
    }

    fn exit_code_file(&self) -> PathBuf {
        self.folder.join("exit-code")
    }

    fn ask<W: AsRef<std::ffi::OsStr>>(&self, words: &[W]) -> Output {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("LANG", "C.UTF-8").current_dir(&self.folder);
        command.args(["-u", "-S", "tmux"]).args(words).output().unwrap()
    }

    fn resize(&self, (columns, rows): (u16, u16)) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.ask(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Everything in the scrollback and on the screen; rows that tmux has wrapped are one line.
    fn text(&self) -> String {
        let shown = self.ask(&["capture-pane", "-p", "-J", "-S", "-"]);
        String::from_utf8_lossy(&shown.stdout).into_owned()
    }

    async fn shows(&self, what: &str, is_met: impl Fn(&str) -> bool) -> String {
        let shown = wait_until_some(LIMIT, async || Some(self.text()).filter(|text| is_met(text)));
        shown.await.unwrap_or_else(|| panic!("not seen: {what}\n{}", self.text()))
    }
}

impl Seat for Tmux {
    async fn wait(&mut self, texts: &[&str]) -> String {
        let is_met = |shown: &str| texts.iter().all(|text| shown.contains(text));
        self.shows(&format!("{texts:?}"), is_met).await
    }

    fn typed(&mut self, text: &str) {
        let keys = text.bytes().map(|byte| format!("{byte:02x}"));
        let words = ["send-keys", "-H"].map(str::to_owned).into_iter().chain(keys);
        assert!(self.ask(&words.collect::<Vec<_>>()).status.success());
    }

    fn is_shown_in(&mut self, text: &str, colour: &str) -> bool {
        let shown = self.ask(&["capture-pane", "-p", "-e", "-J", "-S", "-"]);
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        shown.contains(&format!("\x1b[{colour}m{text}"))
    }

    async fn exit_code(&mut self) -> Option<i32> {
        let file = self.exit_code_file();
        wait_until_some(LIMIT, async || fs::read_to_string(&file).ok()?.trim().parse().ok()).await
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
    }
}

fn variable((name, value): &(OsString, OsString)) -> OsString {
    let mut word = name.clone();
    word.push("=");
    word.push(value);
    word
}

fn paragraph(number: usize) -> String {
    let words: Vec<String> = (0..20 + number % 9).map(|word| format!("{number}x{word}")).collect();
    format!("p{number:03} {}", words.join(" "))
}

/// XC-123: each finished line stands there once, whole, and nothing of the region is left. At the begin of each paragraph of
/// an answer that comes so many characters at once the terminal gets another size.
async fn resizes_leave_nothing_behind(paragraphs: usize, characters: usize, typed: &str) {
    if !Tmux::is_there() {
        return;
    }
    let expected: Vec<String> = (0..paragraphs).map(paragraph).collect();
    let reply = Reply::from(Turn::text(expected.join("\n\n")));
    let place = Place::with_replies([reply.written(characters, Duration::from_millis(28))]).await;
    let tmux = Tmux::start(&place, &["go on"]);
    tmux.shows("the answer", |text| text.contains("p000")).await;
    let mut typed = typed.chars();
    let mut shown_input = String::new();
    for number in 0..paragraphs {
        let begin = format!("p{number:03}");
        tmux.shows(&begin, |text| text.contains(&begin)).await;
        if let Some(key) = typed.next() {
            shown_input.push(key);
            tmux.ask(&["send-keys", "-l", &key.to_string()]);
            let typed = format!("> {shown_input}");
            tmux.shows(&typed, |text| text.contains(typed.trim_end())).await;
        }
        tmux.resize(SIZES[number % SIZES.len()]);
    }
    if shown_input.is_empty() {
        shown_input.push_str("Ask something");
    }
    let is_idle = |text: &str| {
        let mut last = text.lines().rev().filter(|line| !line.trim().is_empty());
        let (status, typed) = (last.next().unwrap_or_default(), last.next().unwrap_or_default());
        status.contains(" tokens ") && typed.contains(&shown_input)
    };
    let text = tmux.shows("the end", |text| is_idle(text) && !text.contains("Thinking")).await;
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let before: Vec<&str> = lines.by_ref().take_while(|line| *line != "> go on").collect();
    assert!(before.len() == 1 && before[0].starts_with("X-Code "), "{before:?}");
    // What is said of the session comes first.
    let shown: Vec<&str> = lines.skip_while(|line| line.starts_with("The window of ")).collect();
    let (answer, rest) = shown.split_at(paragraphs.min(shown.len()));
    assert_eq!(answer, expected);
    let is_usual = matches!(rest, [typed, status]
        if typed.starts_with(&format!("> {shown_input}")) && status.contains(" tokens "));
    assert!(is_usual, "{rest:?}");
}

/// Some 0.33 s apart.
#[tokio::test(flavor = "multi_thread")]
async fn resizes_during_a_stream_leave_nothing_behind_in_tmux() {
    resizes_leave_nothing_behind(40, 12, "").await;
}

/// As quickly as a hand drags a corner.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_quick_resizes_leave_nothing_behind_in_tmux() {
    resizes_leave_nothing_behind(200, 60, "").await;
}

/// The terminal's own cursor then stands in the text, and not at the top of the region.
#[tokio::test(flavor = "multi_thread")]
async fn resizes_while_a_text_is_typed_leave_nothing_behind_in_tmux() {
    resizes_leave_nothing_behind(60, 30, "and then, 漢字, what else is there").await;
}

async fn first_run_in_tmux(words: &Words) {
    if Tmux::is_there() {
        let place = first_run::place(words).await;
        first_run::play(&place, &mut Tmux::start(&place, &[]), words).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_wizard_to_the_first_answer_in_tmux_in_chinese() {
    first_run_in_tmux(&first_run::CHINESE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_wizard_to_the_first_answer_in_tmux_in_english() {
    first_run_in_tmux(&first_run::ENGLISH).await;
}
