//! The output and the exit code of a command. A closed pipe is not an error.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Exit {
    /// Success.
    Done = 0,
    /// Something is wrong or missing.
    Wrong = 1,
    /// The command line or the input is invalid.
    Usage = 2,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Text.
    Text,
    /// JSON.
    Json,
}

/// The output of a command.
#[derive(Debug)]
pub(super) struct Output {
    /// As text, without a final newline.
    pub(super) text: String,
    /// As JSON.
    pub(super) json: Value,
    /// The exit code.
    pub(super) exit: Exit,
}

/// Why a command did nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// An argument or the input is invalid.
    #[error("{0}")]
    Input(String),
    /// Something is wrong or missing.
    #[error("{0}")]
    Wrong(String),
    /// The files cannot be read or changed.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
}

impl From<Failed> for Output {
    fn from(failed: Failed) -> Self {
        let exit = if matches!(failed, Failed::Input(_)) { Exit::Usage } else { Exit::Wrong };
        let text = failed.to_string();
        Self { json: json!({"error": text}), text: format!("court: {text}"), exit }
    }
}

impl Output {
    /// The output of a successful command.
    pub(super) fn done(text: String, json: Value) -> Self {
        Self { text, json, exit: Exit::Done }
    }

    /// Prints it: text of a failure on standard error, everything else on standard output.
    pub(super) fn print(self, format: Format) -> ExitCode {
        let failed = self.json.get("error").is_some();
        match format {
            Format::Json => {
                let text = serde_json::to_string_pretty(&self.json).unwrap_or_default();
                write(redact::visible_json(&format!("{text}\n")).as_bytes(), self.exit)
            }
            Format::Text if failed => {
                // If standard error is closed, the text is discarded.
                let _ = writeln!(io::stderr().lock(), "{}", redact::visible(&self.text));
                ExitCode::from(self.exit as u8)
            }
            Format::Text => {
                let text = format!("{}\n", self.text);
                write(redact::visible(&text).as_bytes(), self.exit)
            }
        }
    }
}

/// Writes to standard output. A write error is a failure, except for a closed pipe.
pub(super) fn write(bytes: &[u8], exit: Exit) -> ExitCode {
    host::streams::write(bytes);
    let exit = if host::streams::output_lost() { exit.max(Exit::Wrong) } else { exit };
    ExitCode::from(exit as u8)
}

/// Help and version are successes; everything else is an invalid command line.
pub(super) fn misused(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
    let text = error.render().to_string();
    if matches!(error.kind(), DisplayHelp | DisplayVersion) {
        return write(text.as_bytes(), Exit::Done);
    }
    // As above.
    let _ = write!(io::stderr().lock(), "{}", redact::visible(&text));
    ExitCode::from(Exit::Usage as u8)
}
