//! A real terminal: tmux, one server for each, gone with it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use tests::harness::wait_until_some;

use crate::fixture::{Installed, LIMIT};

/// How wide and how high it is, in characters: no line of these tests is cut.
const SIZE: [&str; 4] = ["-x", "200", "-y", "50"];

/// Runs the program and says how it ended: tmux does not always learn that (3.3a has left it a zombie).
/// Ctrl-C is for the program alone.
const SCRIPT: &str = "trap : INT\n\"$@\"\necho \"ended with $?\"\nexec cat\n";

/// Terminals that were opened.
static OPENED: AtomicU32 = AtomicU32::new(0);

/// A terminal in which the program runs.
pub(crate) struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Whether there is tmux; says so where not.
    pub(crate) fn is_there() -> bool {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|it| it.join("tmux").is_file()));
        if !found {
            skipping::missing("tmux", "run `make debian`");
        }
        found
    }

    /// Starts the program in a terminal and waits for its prompt.
    pub(crate) async fn open(installed: &Installed, args: &[&str]) -> Self {
        // One for each: the server before may still be on its way out.
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let socket = installed.folder.temp().join(format!("tmux-{number}"));
        let settings = installed.folder.work().join("tmux.conf");
        fs::write(&settings, "set -g history-limit 5000\n").unwrap();
        let script = installed.folder.work().join("in-terminal.sh");
        fs::write(&script, SCRIPT).unwrap();
        let terminal = Self { socket };
        let mut words: Vec<OsString> =
            vec!["-f".into(), settings.into(), "new-session".into(), "-d".into()];
        words.extend(SIZE.map(OsString::from));
        words.extend(["-c".into(), installed.repository.join("src").into()]);
        words.extend(["env".into(), "-i".into(), "TERM=screen-256color".into()]);
        words.extend(installed.environment().iter().map(|(name, value)| {
            let mut word = name.clone();
            word.push("=");
            word.push(value);
            word
        }));
        words.extend(["sh".into(), script.into(), installed.program().into()]);
        words.extend(args.iter().map(OsString::from));
        let made = terminal.tmux(&words);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        terminal.prompt().await;
        terminal
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the user, who has a terminal")]
    fn tmux<W: AsRef<OsStr>>(&self, words: &[W]) -> Output {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("LANG", "C.UTF-8").arg("-u").arg("-S").arg(&self.socket);
        command.args(words).output().unwrap()
    }

    /// Types a line and Enter.
    pub(crate) fn enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.key("Enter");
    }

    /// Presses a key, such as `C-c`.
    pub(crate) fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Pastes a text as terminals do it: in brackets.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Everything that was shown.
    pub(crate) fn screen(&self) -> String {
        let shown = self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]);
        String::from_utf8_lossy(&shown.stdout).into_owned()
    }

    /// Waits until the text is shown.
    pub(crate) async fn shows(&self, text: &str) {
        let shown = wait_until_some(LIMIT, async || self.screen().contains(text).then_some(()));
        assert!(shown.await.is_some(), "never {text:?}:\n{}", self.screen());
    }

    /// Waits until the program waits for a line.
    pub(crate) async fn prompt(&self) {
        let waiting = wait_until_some(LIMIT, async || {
            let screen = self.screen();
            let last = screen.lines().rev().find(|line| !line.trim().is_empty())?;
            (last.trim_end() == "codex>").then_some(())
        });
        assert!(waiting.await.is_some(), "it waits for nothing:\n{}", self.screen());
    }

    /// Presses Ctrl-C at the prompt, and waits for the new one: what is typed in between is lost.
    pub(crate) async fn clear_line(&self) {
        let prompts = || self.screen().lines().filter(|line| line.starts_with("codex>")).count();
        let before = prompts();
        self.key("C-c");
        let again = wait_until_some(LIMIT, async || (prompts() > before).then_some(()));
        assert!(again.await.is_some(), "no new prompt:\n{}", self.screen());
    }

    /// Types a prompt, and waits for the answer and for the next prompt.
    pub(crate) async fn ask(&self, prompt: &str, answer: &str) {
        self.enter(prompt);
        self.shows(answer).await;
        self.prompt().await;
    }

    /// The process id of the program.
    pub(crate) fn pid(&self) -> i32 {
        let shell = self.fact("#{pane_pid}");
        let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        children.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Waits for the program's end; its exit code, as a shell has it.
    pub(crate) async fn end(&self) -> i32 {
        let code = wait_until_some(LIMIT, async || {
            let screen = self.screen();
            let line = screen.lines().find_map(|line| line.split_once("ended with "));
            line.and_then(|(_, code)| code.trim().parse().ok())
        });
        code.await.unwrap_or_else(|| panic!("it does not end:\n{}", self.screen()))
    }

    fn fact(&self, format: &str) -> String {
        let fact = self.tmux(&["display-message", "-p", format]);
        String::from_utf8_lossy(&fact.stdout).trim().to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
