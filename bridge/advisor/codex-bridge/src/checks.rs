//! The checks that `/readyz` and `doctor` share: whether Codex can answer a question, and hints for what is
//! missing.

use codex_driver::home::ShellAccess;
use codex_driver::sandbox::Sandbox;
use contract::failure::{Failure, FailureCode};
use contract::readiness::Check;

use crate::codex::{Codex, Ready};
use crate::proof::Standing;

/// The checks of Codex in the order in which they run: a failed check hides the later ones.
const CODEX_CHECKS: [&str; 6] =
    ["codex_found", "codex_version", "codex_proof", "codex_home", "codex_driver", "sign_in"];

/// Runs all checks of Codex.
///
/// # Cancel safety
/// Dropping the future kills the process that is being queried.
pub(crate) async fn codex(codex: &Codex, shell: ShellAccess) -> Vec<Check> {
    let mut checks = match codex.ready().await {
        Ok(ready) => found(&ready),
        Err(failure) => lacking(&failure, codex),
    };
    if shell == ShellAccess::ReadOnly {
        checks.push(sandbox(codex).await);
    }
    checks
}

fn found(ready: &Ready) -> Vec<Check> {
    let installation = ready.driver.installation();
    vec![
        Check::passed("codex_found", installation.binary.display().to_string()),
        Check::passed("codex_version", installation.version.to_string()),
        proof(ready),
        Check::passed("codex_home", ready.driver.home().display().to_string()),
        driver(ready),
        Check::passed("sign_in", "requests carry the credentials that the configuration names"),
    ]
}

/// Result of the self-test. A Codex that failed it gets here only if the operator allows it.
fn proof(ready: &Ready) -> Check {
    let Some(proof) = &ready.proof else { return Check::passed("codex_proof", "not needed") };
    let mut message = proof.to_string();
    if !proof.failed.is_empty() {
        message += &format!(" ({}), allowed by codex.allow_unproven", proof.reasons());
    }
    if !proof.has_log {
        message += "; its log tells nothing of the provider, so only Codex's own idle limit and the deadline end a silent turn";
    }
    Check::passed("codex_proof", message)
}

/// The driver used for advice, and the reason if it is not the preferred one.
fn driver(ready: &Ready) -> Check {
    let kind = ready.driver.kind().as_str();
    let message = match ready.driver.why_not_app_server() {
        Some(why) => format!("{kind}, not app-server: {why}"),
        None => kind.to_owned(),
    };
    Check::passed("codex_driver", message)
}

/// Checks after the first failed one are reported as failed, because they did not run.
fn lacking(failure: &Failure, codex: &Codex) -> Vec<Check> {
    let refused = codex.proof().is_some_and(|proof| proof.standing() == Standing::Refused);
    let (failed_at, hint) = match failure.error.code {
        FailureCode::CodexNotFound if codex.named().is_some() => (
            0,
            "let `codex.bin` name Codex's executable, or leave it out to have Codex searched for",
        ),
        FailureCode::CodexNotFound => {
            (0, "install it with `npm install -g @openai/codex`, or set `codex.bin`")
        }
        FailureCode::CodexIncompatible if refused => (
            2,
            "install a tested version with `npm install -g @openai/codex@0.169.0`, or set `codex.allow_unproven`",
        ),
        FailureCode::CodexIncompatible => (1, "update it with `npm install -g @openai/codex`"),
        FailureCode::Auth => {
            (5, "run `codex login`, or name a variable that holds a key with `codex.api_key_env`")
        }
        FailureCode::SpawnFailed => (1, "look at the process and memory limits of this user"),
        FailureCode::CodexMisconfigured => {
            (3, "look at `config.toml` in your Codex home, or set `codex.base_url`")
        }
        _ => (3, "look at the folder `codex-home` below `state_dir`"),
    };
    CODEX_CHECKS
        .into_iter()
        .enumerate()
        .map(|(position, name)| match position.cmp(&failed_at) {
            std::cmp::Ordering::Less => Check::passed(name, "found"),
            std::cmp::Ordering::Equal => {
                Check::failed(name, &*failure.error.message).with_hint(hint)
            }
            std::cmp::Ordering::Greater => Check::failed(
                name,
                format!("not looked at, because {} failed", CODEX_CHECKS[failed_at]),
            ),
        })
        .collect()
}

async fn sandbox(codex: &Codex) -> Check {
    let hint = "allow unprivileged user namespaces, or set `codex.shell = \"off\"`";
    match codex.sandbox().await {
        Ok(Sandbox::Usable) => {
            Check::passed("sandbox", "a read-only command runs in Codex's sandbox")
        }
        Ok(Sandbox::Unusable { text }) => Check::failed("sandbox", text).with_hint(hint),
        Err(failure) => Check::failed("sandbox", failure.error.message),
    }
}
