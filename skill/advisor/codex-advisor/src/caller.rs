//! The common part of all commands that use the daemon: client, deadline, output format.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;

use client::exit::Exit;
use client::{Client, ConnectOptions, Discovery};
use contract::failure::{Failure, FailureCode, Violation};
use contract::workspace::Workspace;
use host::agent::{BASH_DEFAULT_TIMEOUT_MS, Caller as Asker};
use host::environment::{self, Environment};
use host::{project, streams};
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

use crate::args::{PatienceArgs, ReachArgs};
use crate::output::Form;

/// The time limit of a command that needs no model.
const SHORT: Duration = Duration::from_secs(20);

/// How long to wait for advice: 10 s less than Claude Code's own default limit for a command.
const TIMEOUT: Duration = Duration::from_secs(110);

/// How much earlier than that limit the command stops waiting.
const MARGIN: Duration = Duration::from_secs(10);

/// The caller of a command.
pub(crate) struct Caller {
    /// The client of the daemon, for one project.
    pub(crate) client: Client,
    /// The environment in use.
    pub(crate) environment: Environment,
    /// The root of the caller's project.
    pub(crate) root: PathBuf,
    /// The output format.
    pub(crate) form: Form,
    asker: Asker,
}

impl Caller {
    /// The caller that runs this process.
    pub(crate) fn new(asker: Asker, form: Form) -> Self {
        if let Asker::Agent { ignored, .. } = &asker
            && !ignored.is_empty()
        {
            streams::note(&format!(
                "not taken from the environment, because an agent runs this command: {}; what counts \
                 is what was set when the agent was started",
                ignored.join(", ")
            ));
        }
        let environment = asker.environment().clone();
        let home = environment.folder(environment::HOME);
        let root = project::root(asker.folder(), home.as_deref());
        let client = Client::new(Discovery::new(environment.clone(), ConnectOptions::default()))
            .of_workspace(Workspace::of(&root));
        Self { client, environment, root, form, asker }
    }

    /// The same for the projects that the command line asks for.
    ///
    /// # Errors
    /// `contract_violation` if the caller may not see other projects.
    pub(crate) fn reaching(self, reach: ReachArgs) -> Result<Self, Failure> {
        if !reach.all {
            return Ok(self);
        }
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if !is_terminal || !self.asker.is_person() {
            let message = "--all is for a person at a terminal; without it the runs of this project \
                           are seen";
            let violation = Violation::new("", message);
            return Err(
                Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation])
            );
        }
        Ok(Self { client: self.client.of_workspace(None), ..self })
    }

    /// Runs a command on a single-threaded runtime, which starts in microseconds.
    pub(crate) fn run(self, command: impl AsyncFnOnce(Self) -> Exit) -> Exit {
        let form = self.form;
        match runtime() {
            Ok(runtime) => {
                let exit = runtime.block_on(command(self));
                // A thread may still be reading standard input.
                runtime.shutdown_background();
                exit
            }
            Err(error) => form.failure(&Failure::new(
                FailureCode::BridgeUnreachable,
                format!("the system gave no event queue: {error}; nothing was asked"),
            )),
        }
    }

    /// When to stop waiting for advice.
    pub(crate) fn deadline(&self, patience: PatienceArgs) -> Instant {
        let given = patience.timeout.map(|seconds| Duration::from_secs(seconds.into()));
        Instant::now() + given.unwrap_or_else(|| timeout(&self.environment))
    }
}

/// The deadline of a command that needs no model.
pub(crate) fn soon() -> Instant {
    Instant::now() + SHORT
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Less than Claude Code's limit for a command, if that is set and plausible.
fn timeout(environment: &Environment) -> Duration {
    let limit = environment.text(BASH_DEFAULT_TIMEOUT_MS).and_then(|text| text.parse().ok());
    match limit.map(Duration::from_millis) {
        Some(limit) if limit > MARGIN * 2 => limit - MARGIN,
        Some(limit) if !limit.is_zero() => limit / 2,
        Some(_) | None => TIMEOUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_stays_below_the_limit_of_claude_code() {
        let check = |pairs: &[(&str, &str)], seconds: u64| {
            let environment = pairs.iter().copied().collect();
            assert_eq!(timeout(&environment), Duration::from_secs(seconds), "{pairs:?}");
        };
        check(&[("HOME", "/home/me")], 110);
        check(&[(BASH_DEFAULT_TIMEOUT_MS, "600000")], 590);
        check(&[(BASH_DEFAULT_TIMEOUT_MS, "8000")], 4);
        check(&[(BASH_DEFAULT_TIMEOUT_MS, "soon")], 110);
        check(&[(BASH_DEFAULT_TIMEOUT_MS, "0")], 110);
    }
}
