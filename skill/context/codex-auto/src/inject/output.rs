//! Prints the result in each format. A closed pipe is not a failure.

use std::io::{self, Write as _};

use orchestration::exit::Exit;

use super::args::Format;
use super::claude;
use crate::enrich::Enriched;

/// Prints the result for a prompt, and returns the exit code. Claude Code shows the message to the user.
pub(super) fn print(format: Format, enriched: &Enriched, prompt: &str, message: &str) -> Exit {
    let Enriched { report, exit } = enriched;
    let mut bytes = match format {
        Format::Hook => return write(&claude::answer(enriched, message), *exit),
        Format::Json => redact::visible_json(&report.as_value().to_string()).into_owned(),
        Format::Text => redact::visible(report.context()).into_owned(),
        Format::Prompt if report.context().is_empty() => prompt.to_owned(),
        Format::Prompt => format!("{}\n\n{prompt}", redact::visible(report.context())),
    };
    let is_told = match format {
        Format::Json | Format::Hook => *exit != Exit::Done,
        Format::Text | Format::Prompt => true,
    };
    if is_told && !report.limits().is_empty() {
        // Errors writing to stderr are ignored.
        let _ = writeln!(io::stderr().lock(), "{}", redact::visible(report.limits()));
    }
    if !bytes.is_empty() && !bytes.ends_with('\n') {
        bytes.push('\n');
    }
    write(bytes.as_bytes(), *exit)
}

/// Writes to standard output.
pub(super) fn write(bytes: &[u8], exit: Exit) -> Exit {
    let mut output = io::stdout().lock();
    // The exit code still has the result.
    let _ = output.write_all(bytes).and_then(|()| output.flush());
    exit
}
