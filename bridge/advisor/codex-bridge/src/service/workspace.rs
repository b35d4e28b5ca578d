//! Checks the folder that Codex may read, and whether a turn may write there.

use codex_driver::SandboxMode;
use codex_driver::home::ShellAccess;
use contract::failure::{Failure, FailureCode, Violation};
use contract::orchestrate::Sandbox;

use super::inner::Settings;
use crate::request::Request;

/// For advice, the operator must have allowed the workspace; for a turn of the user's own Codex, it is the user's
/// current folder.
pub(super) fn check(settings: &Settings, request: &Request) -> Result<(), Failure> {
    let fault = |message: &str, hint: &str| violation("/workspace", message, hint);
    let workspace = match request {
        Request::Orchestrate(input) if input.workspace.is_dir() => {
            let is_more = input.sandbox == Some(Sandbox::WorkspaceWrite)
                && settings.orchestrate_sandbox == SandboxMode::ReadOnly;
            return match is_more {
                true => Err(violation(
                    "/sandbox",
                    "this bridge lets no turn write",
                    "ask for read-only, or have the operator set codex.orchestrate_sandbox = \"workspace-write\"",
                )),
                false => Ok(()),
            };
        }
        Request::Orchestrate(_) => {
            return Err(fault(
                "expected an existing folder",
                "name the folder in which Codex is to work by its absolute path",
            ));
        }
        Request::Analyze(input) => match &input.workspace {
            Some(workspace) => workspace,
            None => return Ok(()),
        },
    };
    if settings.shell == ShellAccess::Off {
        return Err(fault(
            "this bridge lets Codex read no workspace",
            "leave it out, or have the operator set codex.shell = \"read-only\" and codex.workspace_roots",
        ));
    }
    let real = workspace.canonicalize().ok().filter(|path| path.is_dir());
    let Some(real) = real else {
        return Err(fault("expected an existing folder", "name a folder by its absolute path"));
    };
    let allowed = settings
        .workspace_roots
        .iter()
        .any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)));
    if allowed {
        Ok(())
    } else {
        Err(fault(
            "the folder lies in none of the operator's codex.workspace_roots",
            "leave it out, or have the operator add a root",
        ))
    }
}

fn violation(path: &str, message: &str, hint: &str) -> Failure {
    let violation = Violation::new(path, message).with_hint(hint);
    Failure::new(FailureCode::ContractViolation, "the body breaks the input contract")
        .with_details(vec![violation])
}
