//! The checks that `/readyz` and `doctor` share: whether Codex could answer a question, and how to
//! mend it where it could not.

use std::path::Path;

use codex_driver::home::ShellAccess;
use codex_driver::sandbox::Sandbox;
use contract::failure::{Failure, FailureCode};

use crate::codex::{Codex, Ready};
use crate::service::Check;

/// The checks of Codex in the order in which it is looked at: what fails hides what comes after.
const CODEX_CHECKS: [&str; 4] = ["codex_found", "codex_version", "codex_home", "sign_in"];

/// Looks at everything that Codex needs.
///
/// # Cancel safety
/// Dropping the future kills the process that is being asked.
pub(crate) async fn codex(codex: &Codex, shell: ShellAccess) -> Vec<Check> {
    let mut checks = match codex.ready().await {
        Ok(ready) => found(&ready),
        Err(failure) => lacking(&failure, codex.named()),
    };
    if shell == ShellAccess::ReadOnly {
        checks.push(sandbox(codex).await);
    }
    checks
}

fn found(ready: &Ready) -> Vec<Check> {
    let installation = ready.driver.installation();
    vec![
        passed("codex_found", &installation.binary.display().to_string()),
        passed("codex_version", &installation.version.to_string()),
        passed("codex_home", &ready.driver.home().display().to_string()),
        passed("sign_in", "requests carry the credentials that the configuration names"),
    ]
}

/// What the first failed check hides is not claimed to be right.
fn lacking(failure: &Failure, named: Option<&Path>) -> Vec<Check> {
    let (failed_at, hint) = match failure.error.code {
        FailureCode::CodexNotFound if named.is_some() => (
            0,
            "let `codex.bin` name Codex's executable, or leave it out to have Codex searched for",
        ),
        FailureCode::CodexNotFound => {
            (0, "install it with `npm install -g @openai/codex`, or set `codex.bin`")
        }
        FailureCode::CodexIncompatible => (1, "update it with `npm install -g @openai/codex`"),
        FailureCode::Auth => {
            (3, "run `codex login`, or name a variable that holds a key with `codex.api_key_env`")
        }
        FailureCode::SpawnFailed => (1, "look at the process and memory limits of this user"),
        _ => (2, "look at the folder `codex-home` below `state_dir`"),
    };
    CODEX_CHECKS
        .into_iter()
        .enumerate()
        .map(|(position, name)| match position.cmp(&failed_at) {
            std::cmp::Ordering::Less => passed(name, "found"),
            std::cmp::Ordering::Equal => {
                Check { hint: Some(hint.to_owned()), ..failed(name, &failure.error.message) }
            }
            std::cmp::Ordering::Greater => {
                failed(name, &format!("not looked at, because {} failed", CODEX_CHECKS[failed_at]))
            }
        })
        .collect()
}

async fn sandbox(codex: &Codex) -> Check {
    let hint = "allow unprivileged user namespaces, or set `codex.shell = \"off\"`";
    match codex.sandbox().await {
        Ok(Sandbox::Usable) => passed("sandbox", "a read-only command runs in Codex's sandbox"),
        Ok(Sandbox::Unusable { text }) => {
            Check { hint: Some(hint.to_owned()), ..failed("sandbox", &text) }
        }
        Err(failure) => failed("sandbox", &failure.error.message),
    }
}

/// A check that found what it looked for.
pub(crate) fn passed(name: &'static str, message: &str) -> Check {
    Check { name, ok: true, message: message.to_owned(), hint: None }
}

/// A check that did not.
pub(crate) fn failed(name: &'static str, message: &str) -> Check {
    Check { name, ok: false, message: message.to_owned(), hint: None }
}
