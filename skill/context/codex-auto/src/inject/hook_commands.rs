//! The commands for the hook itself: install, uninstall and verify; their output and exit codes.
//! They are called by users and installers, so 1 means failed here.

use std::io::{self, Write as _};
use std::process::ExitCode;

use host::environment::Environment;
use serde_json::{Value, json};

use super::args::{PlaceArgs, VerifyArgs};
use super::install::{self, InstallError};
use super::install_location::InstallLocation;
use super::verify;

/// The command failed, or a check did.
const FAILED: u8 = 1;

/// Installs the hook.
pub(super) fn install(args: &PlaceArgs, environment: &Environment) -> ExitCode {
    let done = InstallLocation::of(environment, args.project.as_deref())
        .and_then(|place| install::install(&place));
    tell(done, "nothing to do: the hook is installed as it should be")
}

/// Removes it.
pub(super) fn uninstall(args: &PlaceArgs, environment: &Environment) -> ExitCode {
    let done = InstallLocation::of(environment, args.project.as_deref())
        .and_then(|place| install::uninstall(&place, environment));
    tell(done, "nothing to do: the hook is not installed")
}

/// Checks it.
pub(super) fn verify(args: &VerifyArgs, environment: &Environment) -> ExitCode {
    let place = match InstallLocation::of(environment, args.place.project.as_deref()) {
        Ok(place) => place,
        Err(error) => return tell(Err(error), ""),
    };
    let checks = verify::verify(&place, environment);
    let failed = checks.iter().filter(|check| check.mend.is_some()).count();
    let text = if args.json {
        let values: Vec<Value> = checks.iter().map(verify::Check::to_value).collect();
        json!({ "ok": failed == 0, "checks": values }).to_string()
    } else {
        let lines: Vec<String> = checks.iter().map(verify::Check::to_line).collect();
        lines.join("\n")
    };
    say(&text);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

fn tell(done: Result<Vec<String>, InstallError>, nothing: &str) -> ExitCode {
    match done {
        Ok(lines) if lines.is_empty() => say(nothing),
        Ok(lines) => say(&lines.join("\n")),
        Err(error) => {
            // Errors writing to stderr are ignored; the exit code says it too.
            let text = format!("error: {error}");
            let _ = writeln!(io::stderr().lock(), "{}", redact::visible(&text));
            return ExitCode::from(FAILED);
        }
    }
    ExitCode::SUCCESS
}

fn say(text: &str) {
    // A closed pipe is not a failure.
    let _ = writeln!(io::stdout().lock(), "{}", redact::visible(text));
}
