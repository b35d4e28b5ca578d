//! `verify`: checks everything that is needed for context to reach the model, each
//! with a fix. The orchestrator is called for a plan, and the client for one prompt.

use std::time::Instant;

use ::host::environment::Environment;
use orchestration::exit::Exit;
use orchestration::report::Client;
use orchestration::variables;
use release::Kind;
use serde_json::{Value, json};

use super::client;
use super::install::current;
use super::install_location::InstallLocation;
use super::settings::{Registered, look};
use crate::control;
use crate::enrich::enrich;
use crate::orchestrator_process;
use crate::question::Question;

/// A prompt that is about code in any repository.
const PROMPT: &str = "fix the bug in src/main.rs";

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: &'static str,
    /// The result.
    pub(super) said: String,
    /// The fix; `None` if the check passed.
    pub(super) mend: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, said: impl Into<String>) -> Self {
        Self { name, said: said.into(), mend: None }
    }

    pub(super) fn fail(
        name: &'static str,
        said: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { name, said: said.into(), mend: Some(mend.into()) }
    }

    /// The check as a line of text.
    pub(super) fn to_line(&self) -> String {
        match &self.mend {
            None => format!("ok    {:<13} {}", self.name, self.said),
            Some(mend) => format!("fail  {:<13} {}\n      mend: {mend}", self.name, self.said),
        }
    }

    /// The check as JSON.
    pub(super) fn to_value(&self) -> Value {
        json!({ "check": self.name, "ok": self.mend.is_none(), "said": self.said, "mend": self.mend })
    }
}

/// Runs all checks.
pub(super) fn verify(place: &InstallLocation, environment: &Environment) -> Vec<Check> {
    let mut checks = vec![
        hook(place),
        registration(place),
        orchestrator(environment),
        versions(place),
        report(environment),
    ];
    checks.extend(client::checks(environment));
    checks
}

const INSTALL: &str = "run `context-inject install`";

fn hook(place: &InstallLocation) -> Check {
    let own = std::env::current_exe().unwrap_or_default();
    for (file, content) in place.files(&own) {
        let path = file.display();
        match current(&file) {
            Ok(Some(text)) if text == content => {}
            Ok(Some(_)) => {
                return Check::fail(
                    "hook",
                    format!("{path} is another version's, or changed"),
                    INSTALL,
                );
            }
            Ok(None) => return Check::fail("hook", format!("{path} is missing"), INSTALL),
            Err(error) => return Check::fail("hook", error.to_string(), "make it readable"),
        }
    }
    Check::ok("hook", place.program().display().to_string())
}

fn registration(place: &InstallLocation) -> Check {
    let name = "registration";
    let path = place.settings.display();
    let text = match current(&place.settings) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return Check::fail(name, error.to_string(), "make it readable"),
    };
    match place.with_hook(|hook| look(&text, hook)) {
        Ok(Registered::Yes) => Check::ok(name, format!("in {path}")),
        Ok(Registered::Disabled) => Check::fail(
            name,
            format!("{path} has it, and switches all hooks off"),
            "take `disableAllHooks` out of it",
        ),
        Ok(Registered::No) => Check::fail(name, format!("{path} does not have it"), INSTALL),
        Err(fault) => Check::fail(name, format!("{path}: {fault}"), "mend the file, then install"),
    }
}

fn orchestrator(environment: &Environment) -> Check {
    match orchestrator_process::find(environment) {
        Ok(path) => Check::ok("orchestrator", path.display().to_string()),
        Err(error) => Check::fail(
            "orchestrator",
            error.to_string(),
            format!("install codex-bridge anew, or name it in {}", variables::ORCHESTRATOR_PATH),
        ),
    }
}

/// Compares versions: a hook and an orchestrator of different versions may be incompatible. A plugin's version is only
/// reported, because the hook does not need it.
fn versions(place: &InstallLocation) -> Check {
    let strays = match release::compare(Some(&place.claude)) {
        Ok(line) => return Check::ok("versions", line),
        Err(strays) => strays,
    };
    let lines: Vec<String> =
        strays.iter().map(|stray| format!("{}: {}", stray.message, stray.mend)).collect();
    match strays.iter().any(|stray| stray.kind == Kind::Program) {
        true => Check::fail("versions", lines.join("; "), release::REINSTALL),
        false => Check::ok("versions", lines.join("; ")),
    }
}

fn report(environment: &Environment) -> Check {
    if control::is_off(environment, environment.working_dir()) {
        let said = "CI_AUTO_TOOLS or this repository's file switches everything off";
        return Check::fail("report", said, "unset it, or look from another folder");
    }
    let environment = environment.clone().with(variables::MODE, "plan");
    let begun = Instant::now();
    let question = Question {
        prompt: PROMPT.to_owned(),
        client: Client::codex_cli(None),
        cwd: environment.working_dir().to_owned(),
        context_max: None,
    };
    let enriched = enrich(&question, &environment, begun);
    let took = begun.elapsed().as_millis();
    if enriched.exit == Exit::Done && !enriched.report.context().is_empty() {
        Check::ok("report", format!("a plan in {took} ms"))
    } else {
        let limits = enriched.report.limits();
        let why = if limits.is_empty() { "no context for a prompt about code" } else { limits };
        Check::fail("report", why, "see `[Limits]` in docs/ORCHESTRATOR.md")
    }
}
