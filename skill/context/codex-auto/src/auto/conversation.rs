//! The state of a conversation: its thread, its options, and its cost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::advice::Usage;
use contract::failure::{Failure, FailureCode, Violation};
use contract::id::ThreadId;
use contract::input::Options;
use contract::orchestrate::{Orchestration, Sandbox, TurnReport};
use host::environment::Environment;
use orchestration::{parts, variables};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::args::Cli;
use super::bridge::Bridge;
use super::output::Form;
use super::session::{NoThread, SessionFile};
use super::stop::Stops;

/// Message if there was no earlier thread, so nothing was lost.
const FIRST: &str = "no earlier session here; a new one begins";

/// A conversation in one folder.
pub(super) struct Conversation {
    /// The environment with the settings.
    pub(super) environment: Environment,
    /// Runs the turns.
    pub(super) bridge: Bridge,
    /// Whether Codex's messages before the answer are shown.
    pub(super) is_narrated: bool,
    /// Requests to stop a turn.
    pub(super) stops: Stops,
    /// Codex's working folder.
    pub(super) workspace: PathBuf,
    /// Limits and options of each turn.
    pub(super) options: Options,
    /// Sandbox of Codex's commands; if absent, the bridge's default.
    pub(super) sandbox: Option<Sandbox>,
    /// The last prompt, for `/retry`.
    pub(super) prompt: Option<String>,
    /// The report on the last prompt.
    pub(super) last: Option<Value>,
    /// Tokens of the last turn and of all turns.
    pub(super) spent: Spent,
    next: Next,
}

/// Tokens of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// Number of turns with an answer.
    pub(super) turns: u32,
    /// Tokens of the last one, if known.
    pub(super) last: Option<Usage>,
    /// All known tokens.
    pub(super) all: Usage,
}

/// The thread of the next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The one in the session file, if any: the program has just started.
    Noted,
    /// The one in the session file, which was written by this program.
    Continued(ThreadId),
    /// This one, which could not be written to the session file.
    Unnoted(ThreadId),
    /// A new one.
    New,
}

/// The start of the next turn.
pub(super) struct Opening {
    /// The thread to continue.
    pub(super) thread: Option<ThreadId>,
    /// The report, with notes about the thread.
    pub(super) report: Orchestration,
}

impl Conversation {
    /// A conversation with the options of the command line. Starts nothing yet.
    ///
    /// # Errors
    /// The folder does not exist, or the signal handler cannot be installed.
    pub(super) fn new(
        cli: &Cli,
        environment: Environment,
        runtime: &Runtime,
    ) -> Result<Self, Failure> {
        let named = cli.cwd.clone().unwrap_or_default();
        let folder = environment.working_dir().join(named);
        let workspace = folder.canonicalize().ok().filter(|path| path.is_dir());
        let workspace = workspace.ok_or_else(|| {
            let message = format!("{} is no folder", folder.display());
            let violation = Violation::new("", message.clone())
                .with_hint("name the folder to work in with --cwd");
            Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation])
        })?;
        let stops = runtime.block_on(async { Stops::listen() }).map_err(|error| {
            let message = format!("the system lets us listen for no signal: {error}");
            Failure::new(FailureCode::BridgeUnreachable, message)
        })?;
        let sandbox = cli.sandbox.map(Sandbox::from);
        let bridge = Bridge::new(environment.clone(), cli.place.wishes(), &workspace, sandbox);
        let environment = match cli.dry_run {
            true => environment.with(variables::MODE, "plan"),
            false => environment,
        };
        let options = Options {
            timeout_ms: cli.timeout.map(|seconds| seconds * 1_000),
            model: cli.model.clone(),
            reasoning_effort: cli.effort.map(Into::into),
        };
        let next = if cli.new { Next::New } else { Next::Noted };
        let (last, spent) = (None, Spent::default());
        Ok(Self {
            environment,
            bridge,
            is_narrated: cli.form() != Form::Json,
            stops,
            workspace,
            options,
            sandbox,
            prompt: None,
            last,
            spent,
            next,
        })
    }

    /// Local timeout of a turn, slightly longer than the bridge's.
    pub(super) fn patience(&self) -> Duration {
        let most = contract::limits::TURN_TIMEOUT_MAX_MS;
        Duration::from_millis(self.options.timeout_ms.unwrap_or(most)) + Duration::from_secs(30)
    }

    /// The root of the repository if no report names it.
    pub(super) fn root(&self) -> PathBuf {
        if let Some(root) = self.environment.get(variables::REPO_ROOT) {
            return self.workspace.join(root);
        }
        let above = host::own::repository_around(&self.workspace);
        above.unwrap_or(&self.workspace).to_owned()
    }

    /// The thread of the next turn, as far as it is known.
    pub(super) fn thread(&self) -> Result<ThreadId, NoThread> {
        match self.next {
            Next::Unnoted(thread) => Ok(thread),
            Next::New => Err(NoThread::Missing),
            Next::Noted | Next::Continued(_) => SessionFile::below(&self.root()).read(),
        }
    }

    /// The start of the turn with this report.
    pub(super) fn open(&self, report: Orchestration, file: &SessionFile) -> Opening {
        let opening = |thread, report| Opening { thread, report };
        match self.next {
            Next::New => return opening(None, report),
            Next::Unnoted(thread) => return opening(Some(thread), report),
            Next::Noted | Next::Continued(_) => {}
        }
        match (file.read(), self.next) {
            (Ok(thread), _) => opening(Some(thread), report),
            (Err(NoThread::Missing), Next::Noted) => opening(None, report.with_limit(FIRST)),
            (Err(error), _) => {
                opening(None, report.without_continuity().with_limit(&error.to_string()))
            }
        }
    }

    /// Records the result of a turn; adds a note to the report if that fails.
    pub(super) fn answered(&mut self, report: TurnReport, file: &SessionFile) -> TurnReport {
        self.spent.turns += 1;
        self.spent.last = report.usage();
        self.spent.all = self.spent.all.plus(report.usage().unwrap_or_default());
        let Some(thread) = report.thread_id() else { return report };
        let report = match file.write(thread, &self.workspace) {
            Ok(()) => {
                self.next = Next::Continued(thread);
                report
            }
            Err(error) => {
                self.next = Next::Unnoted(thread);
                let path = file.path();
                report.with_limit(&format!(
                    "the session cannot be noted in {} ({error}); it ends with this program",
                    path.display()
                ))
            }
        };
        self.last = Some(report.body().clone());
        report
    }

    /// Starts a new thread with the next turn.
    ///
    /// # Errors
    /// The session file cannot be removed; a new thread is started nevertheless.
    pub(super) fn begin_anew(&mut self) -> std::io::Result<()> {
        self.next = Next::New;
        SessionFile::below(&self.root()).forget()
    }
}

/// The session file of the repository that a report is about, or else of `root`.
pub(super) fn note_of(report: &Orchestration, root: &Path) -> SessionFile {
    let named = parts::repo_root(report.body());
    SessionFile::below(named.map_or(root, Path::new))
}
