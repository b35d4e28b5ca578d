//! The mode to simulate. It is in the prompt: `fake-codex: MODE [ARGUMENTS]`, up to the end of
//! the line or of the enclosing JSON string. Otherwise it is in `fake-codex.mode`, in CODEX_HOME or
//! beside the executable; the default is `ok`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::beside;

/// The text before a mode in a prompt.
const MARK: &str = "fake-codex: ";

/// The mode. Numbers of bytes and of processes are given in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `ok`: advice that fits the question.
    Ok,
    /// `ok-after MS`: the same, later.
    OkAfter(Duration),
    /// `ok-when PATH`: the same, when that file exists.
    OkWhen(PathBuf),
    /// `text TEXT`: this answer.
    Text(String),
    /// `hang`: no output at all, forever.
    Hang,
    /// `hang-after-thread`: the first two events, then no output.
    HangAfterThread,
    /// `slow-drip [MS]`: a line without an end, one byte at a time.
    SlowDrip(Duration),
    /// `diemid`: half a line, then SIGKILL.
    DieMid,
    /// `flood BYTES`: as many bytes in lines, then an answer.
    Flood(u64),
    /// `longline BYTES`: one line of that size, then an answer.
    LongLine(u64),
    /// `stderrflood BYTES`: as many bytes on stderr, then an answer.
    StderrFlood(u64),
    /// `badutf8`, `notjson`, `unknown-events`, `duplicate-keys`, `warnings`: odd lines, then an
    /// answer.
    Odd(Odd),
    /// `closestdout-live`: an answer, then stdout is closed and the process continues.
    CloseStdoutLive,
    /// `closestdout-nomsg`: stdout is closed without an answer and the process continues.
    CloseStdoutNoMessage,
    /// `linger`: an answer, and the process continues with stdout open.
    Linger,
    /// `ignoreterm`: the first two events, then SIGINT and SIGTERM are ignored forever.
    IgnoreTerm,
    /// `forkbomb N` (`daemon` is one): N daemonised processes keep stdout open; then an answer.
    ForkBomb(u32),
    /// `tree N`: the same, then no output, forever.
    Tree(u32),
    /// `exit0nomsg`: a completed turn without a message.
    NoMessage,
    /// `exit0silent`: exit code 0 and nothing printed.
    Silent,
    /// `empty-text`: an empty message.
    EmptyText,
    /// `exit1-auth`: the turn fails because of the sign-in.
    Auth,
    /// `exit N [TEXT]`: this exit code, the text on stderr.
    Exit(u8, String),
    /// `turnfailed TEXT`: the turn fails with this message.
    TurnFailed(String),
    /// `message-then-turnfailed TEXT`: the same after a valid answer.
    MessageThenTurnFailed(String),
    /// `badschema`: an answer that violates the contract; a valid one when the thread is resumed.
    BadSchema,
    /// `badschema-always`: an answer that violates the contract, each time.
    BadSchemaAlways,
    /// `fenced`: advice in a code fence.
    Fenced,
    /// `chatty`: advice between sentences.
    Chatty,
    /// `oom`: allocates memory until the limit ends the process.
    Oom,
    /// `fill-memory PATH`: when that file exists, writes to memory until the kernel ends the process.
    FillMemory(PathBuf),
    /// `transcript-not-saved`: an answer, and the warning about a full disk.
    TranscriptNotSaved,
    /// `wrong-thread-id`: an answer in another thread than the one to be resumed.
    WrongThreadId,
    /// `reconnecting`: reconnects forever.
    Reconnecting,
    /// `echo-env`: advice whose summary is the environment and the open descriptors.
    EchoEnv,
    /// An unknown mode.
    Unknown(String),
}

/// Lines that a reader must tolerate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Odd {
    /// Invalid UTF-8, alone and inside of a valid event.
    BadUtf8,
    /// Text that is no JSON, and JSON that is no object.
    NotJson,
    /// Unknown events, items and fields.
    UnknownEvents,
    /// A `web_search` item with `id` twice.
    DuplicateKeys,
    /// Warnings before the turn.
    Warnings,
}

impl Mode {
    /// The mode for a prompt.
    pub(crate) fn find(prompt: &str) -> Self {
        let home = std::env::var_os("CODEX_HOME");
        let file = "fake-codex.mode";
        let in_home = || fs::read_to_string(Path::new(home.as_ref()?).join(file)).ok();
        match in_prompt(prompt).or_else(in_home).or_else(|| beside(file)) {
            Some(text) => Self::parse(text.trim()),
            None => Self::Ok,
        }
    }

    fn parse(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        let number = |default: u64| rest.parse().unwrap_or(default);
        let millis = |default| Duration::from_millis(number(default));
        match word {
            "ok" => Self::Ok,
            "ok-after" => Self::OkAfter(millis(200)),
            "ok-when" => Self::OkWhen(rest.into()),
            "text" => Self::Text(rest.into()),
            "hang" => Self::Hang,
            "hang-after-thread" => Self::HangAfterThread,
            "slow-drip" => Self::SlowDrip(millis(20)),
            "diemid" => Self::DieMid,
            "flood" => Self::Flood(number(1 << 30)),
            "longline" => Self::LongLine(number(50 << 20)),
            "stderrflood" => Self::StderrFlood(number(200 << 20)),
            "badutf8" => Self::Odd(Odd::BadUtf8),
            "notjson" => Self::Odd(Odd::NotJson),
            "unknown-events" => Self::Odd(Odd::UnknownEvents),
            "duplicate-keys" => Self::Odd(Odd::DuplicateKeys),
            "warnings" => Self::Odd(Odd::Warnings),
            "closestdout-live" => Self::CloseStdoutLive,
            "closestdout-nomsg" => Self::CloseStdoutNoMessage,
            "linger" => Self::Linger,
            "ignoreterm" => Self::IgnoreTerm,
            "daemon" => Self::ForkBomb(1),
            "forkbomb" => Self::ForkBomb(number(30).try_into().unwrap_or(30)),
            "tree" => Self::Tree(number(3).try_into().unwrap_or(3)),
            "exit0nomsg" => Self::NoMessage,
            "exit0silent" => Self::Silent,
            "empty-text" => Self::EmptyText,
            "exit1-auth" => Self::Auth,
            "exit" => {
                let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
                Self::Exit(code.parse().unwrap_or(1), message.into())
            }
            "turnfailed" => Self::TurnFailed(rest.into()),
            "message-then-turnfailed" => Self::MessageThenTurnFailed(rest.into()),
            "badschema" => Self::BadSchema,
            "badschema-always" => Self::BadSchemaAlways,
            "fenced" => Self::Fenced,
            "chatty" => Self::Chatty,
            "oom" => Self::Oom,
            "fill-memory" => Self::FillMemory(rest.into()),
            "transcript-not-saved" => Self::TranscriptNotSaved,
            "wrong-thread-id" => Self::WrongThreadId,
            "reconnecting" => Self::Reconnecting,
            "echo-env" => Self::EchoEnv,
            "flaky" => flaky(rest),
            _ => Self::Unknown(word.into()),
        }
    }
}

/// The mode in a prompt, if there is one; the last one, since earlier rounds are repeated first.
fn in_prompt(prompt: &str) -> Option<String> {
    let (_, rest) = prompt.rsplit_once(MARK)?;
    let end = rest.find(['\n', '\r', '"', '\\', '`']).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

/// `flaky N [MODE]`: simulates MODE (a network failure by default) the first N times that this exact
/// mode is requested in this CODEX_HOME, then `ok`.
fn flaky(words: &str) -> Mode {
    let (count, mode) = words.split_once(' ').unwrap_or((words, ""));
    let count: u64 = count.parse().unwrap_or(1);
    let name: String =
        words.chars().map(|each| if each.is_ascii_alphanumeric() { each } else { '-' }).collect();
    let home = std::env::var_os("CODEX_HOME").unwrap_or_else(|| "/tmp".into());
    let path = Path::new(&home).join(format!("fake-codex.flaky-{name}"));
    // Each attempt appends one byte; the length is the number of attempts so far.
    let mut attempts = match fs::OpenOptions::new().create(true).append(true).open(&path) {
        Ok(attempts) => attempts,
        Err(_) => return Mode::Unknown("flaky".into()),
    };
    let before = attempts.metadata().map_or(0, |attempts| attempts.len());
    let counted = attempts.write_all(b".");
    match (counted, before < count, mode) {
        (Err(_), ..) => Mode::Unknown("flaky".into()),
        (Ok(()), false, _) => Mode::Ok,
        (Ok(()), true, "") => {
            Mode::TurnFailed("stream disconnected before completion: error sending request".into())
        }
        (Ok(()), true, mode) => Mode::parse(mode),
    }
}
