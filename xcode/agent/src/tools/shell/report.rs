//! The result of a command for the model: how it ended, then its output.

use std::time::Duration;

use supervise::{Cause, Exit, Watched};

use super::kept::Kept;

/// How much a command may print on both streams together, in bytes; more output ends it.
pub(super) const OUTPUT_MAX: u64 = 64 << 20;

/// The note after the output of a command to which the sandbox denied something.
pub(super) const REFUSED: &str = "[sandbox: writing outside the workspace is off]";

/// The result's text.
pub(super) fn text(ended: &Watched, timeout: Duration, stdout: Kept, stderr: Kept) -> String {
    let mut text = match (ended.cause, ended.exit) {
        (Cause::Deadline, _) => {
            format!("[timeout after {} ms; everything it started was ended]", timeout.as_millis())
        }
        (Cause::Cancelled, _) => {
            "[interrupted by the user; everything it started was ended]".to_owned()
        }
        (Cause::OutputLimit, _) => format!(
            "[output truncated: it printed more than {} MiB, so everything it started was ended]",
            OUTPUT_MAX >> 20
        ),
        (Cause::GuardLost, _) => {
            "[its guard was killed from outside, and everything it started with it]".to_owned()
        }
        (_, Exit::Code(code)) => format!("exit code: {code}"),
        // In the form that a shell uses.
        (_, Exit::Signal(signal)) => format!("exit code: {} (signal {signal})", 128 + signal),
    };
    let printed = Kept::join(stdout, stderr);
    if !printed.is_empty() {
        text.push('\n');
        text.push_str(&printed);
    }
    if ended.left_something {
        text.push_str("\n[something that it had started in the background was ended with it]");
    }
    text
}
