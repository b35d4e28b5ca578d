//! The command line: the part that the bridge uses, as strict as the real one where that matters.
//!
//! Beside the executable there may be `fake-codex.version` (the version to print, or `hang`) and
//! `fake-codex.login` (the output of `login status`; the exit code is 1 if it begins with `Not`).

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::mode::Mode;
use crate::stream::Stream;
use crate::thread::{self, Thread};
use crate::{server, trouble, turn};

/// The simulated version.
const VERSION: &str = "0.169.0";

/// The longest prompt, in characters (codex 0.169).
const PROMPT_MAX_CHARS: usize = 1_048_576;

/// Options with a value that have no effect here.
const VALUED: [&str; 6] = ["-m", "--model", "-c", "--config", "--color", "--output-schema"];

/// Options without a value.
const FLAGS: [&str; 5] =
    ["--json", "--skip-git-repo-check", "--ignore-user-config", "--strict-config", "--ephemeral"];

/// Options that are not accepted after `resume` and `fork`.
const ONLY_BEFORE: [&str; 6] = ["-s", "--sandbox", "-C", "--cd", "--color", "--add-dir"];

/// A message for stderr and an exit code.
pub(crate) struct Refusal(pub(crate) u8, pub(crate) String);

/// The parsed arguments of `exec`.
#[derive(Default)]
struct Exec {
    /// `resume` or `fork`, with the id of the thread.
    thread: Option<(String, String)>,
    folder: Option<PathBuf>,
    schema: Option<PathBuf>,
    prompt: Option<String>,
}

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(OsString::into_string)
        .collect::<Result<_, _>>()
        .unwrap_or_default();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["--version"] => version(),
        ["login", "status"] => login(),
        ["sandbox", ..] => Ok(0),
        ["exec", rest @ ..] => exec(rest),
        ["app-server", ..] => server::serve(),
        [trouble::DETACH] => trouble::detach(),
        [trouble::LINGER] => trouble::forever(),
        _ => Err(unexpected(&words.join(" "))),
    };
    let code = outcome.unwrap_or_else(|Refusal(code, message)| {
        let _ = writeln!(io::stderr(), "{message}");
        code
    });
    ExitCode::from(code)
}

/// The content of a file beside the executable, which may be a link.
pub(crate) fn beside(file: &str) -> Option<String> {
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let folders = [called, std::env::current_exe().ok()];
    let text = |path: &PathBuf| fs::read_to_string(path.with_file_name(file)).ok();
    folders.iter().flatten().find_map(text).map(|text| text.trim().to_owned())
}

fn version() -> Result<u8, Refusal> {
    let version = beside("fake-codex.version").unwrap_or_else(|| VERSION.into());
    if version == "hang" {
        return trouble::forever();
    }
    let _ = writeln!(io::stdout(), "codex-cli {version}");
    Ok(0)
}

fn login() -> Result<u8, Refusal> {
    let text = beside("fake-codex.login").unwrap_or_else(|| "Logged in using ChatGPT".into());
    if text == "hang" {
        return trouble::forever();
    }
    let code = u8::from(text.starts_with("Not"));
    Err(Refusal(code, text))
}

fn unexpected(argument: &str) -> Refusal {
    let usage = "Usage: codex exec [OPTIONS] [PROMPT]\n\nFor more information, try '--help'.";
    Refusal(2, format!("error: unexpected argument '{argument}' found\n\n{usage}"))
}

fn exec(args: &[&str]) -> Result<u8, Refusal> {
    let exec = parse(args)?;
    if let Some(folder) = &exec.folder {
        std::env::set_current_dir(folder).map_err(|error| Refusal(1, format!("Error: {error}")))?;
    }
    if let Some(schema) = &exec.schema {
        check_schema(schema)?;
    }
    let prompt = match exec.prompt.as_deref() {
        None | Some("-") => read_prompt()?,
        Some(prompt) => prompt.to_owned(),
    };
    let mode = Mode::find(&prompt);
    if mode == Mode::Hang {
        return trouble::forever();
    }
    let home = thread::home()?;
    let mut thread = match &exec.thread {
        None => Thread::fresh(&home),
        Some((verb, id)) if verb == "resume" => Thread::resume(&home, id)?,
        Some((_, id)) => Thread::fork(&home, id)?,
    };
    let is_resumed = exec.thread.is_some();
    let chars = prompt.chars().count();
    if chars > PROMPT_MAX_CHARS {
        let message = format!(
            "Error: turn/start: turn/start failed: Input exceeds the maximum length of \
             {PROMPT_MAX_CHARS} characters. (code -32602), data: \
             {{\"input_error_code\":\"input_too_large\",\"max_chars\":{PROMPT_MAX_CHARS},\
             \"actual_chars\":{chars}}}"
        );
        return Err(Refusal(1, message));
    }
    thread.ask(prompt)?;
    turn::play(&mode, &mut thread, is_resumed, Stream::default())
}

fn parse(args: &[&str]) -> Result<Exec, Refusal> {
    let mut exec = Exec::default();
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        let (name, inline) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (arg, None),
        };
        if exec.thread.is_some() && ONLY_BEFORE.contains(&name) {
            return Err(unexpected(name));
        }
        if FLAGS.contains(&name) {
            continue;
        }
        if VALUED.contains(&name) || ONLY_BEFORE.contains(&name) {
            let value = inline.or_else(|| args.next()).ok_or_else(|| unexpected(name))?;
            match name {
                "-C" | "--cd" => exec.folder = Some(value.into()),
                "--output-schema" => exec.schema = Some(value.into()),
                _ => {}
            }
            continue;
        }
        match arg {
            "resume" | "fork" if exec.thread.is_none() && exec.prompt.is_none() => {
                let id = args.next().ok_or_else(|| unexpected(arg))?;
                exec.thread = Some((arg.into(), id.into()));
            }
            _ if arg.starts_with('-') && arg != "-" => return Err(unexpected(arg)),
            _ => exec.prompt = Some(arg.into()),
        }
    }
    Ok(exec)
}

fn check_schema(path: &Path) -> Result<(), Refusal> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        Refusal(1, format!("Failed to read output schema file {name}: {error}"))
    })?;
    let parsed: Result<serde_json::Value, _> = serde_json::from_str(&text);
    parsed.map(drop).map_err(|error| {
        Refusal(1, format!("Output schema file {name} is not valid JSON: {error}"))
    })
}

fn read_prompt() -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Refusal(1, format!("Failed to read prompt from stdin: {error}")))?;
    let prompt = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Refusal(
            1,
            format!(
                "Failed to read prompt from stdin: input is not valid UTF-8 (invalid byte at \
                 offset {offset})."
            ),
        )
    })?;
    match prompt.trim().is_empty() {
        true => Err(Refusal(1, "No prompt provided via stdin.".into())),
        false => Ok(prompt),
    }
}
