//! A conversation: which thread goes on, with which options, and what it has cost.

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

/// What is said where there never was a thread: nothing is lost.
const FIRST: &str = "no earlier session here; a new one begins";

/// A conversation in one folder.
pub(super) struct Conversation {
    /// The settings of the context, among other things.
    pub(super) environment: Environment,
    /// Who plays the turns.
    pub(super) bridge: Bridge,
    /// Whether what Codex says on its way to an answer is shown.
    pub(super) is_narrated: bool,
    /// What asks a turn to end.
    pub(super) stops: Stops,
    /// Where Codex works.
    pub(super) workspace: PathBuf,
    /// Bounds and choices for each turn.
    pub(super) options: Options,
    /// What Codex may do; absent: what its bridge allows.
    pub(super) sandbox: Option<Sandbox>,
    /// The last prompt, for `/retry`.
    pub(super) prompt: Option<String>,
    /// What was found for the last prompt.
    pub(super) last: Option<Value>,
    /// What the last turn cost, and all of them.
    pub(super) spent: Spent,
    next: Next,
}

/// What turns have cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// Turns with an answer.
    pub(super) turns: u32,
    /// The last one's tokens, where they are known.
    pub(super) last: Option<Usage>,
    /// All tokens that are known.
    pub(super) all: Usage,
}

/// Where the next turn's thread comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// From the session file, as a program that was just started does it.
    Noted,
    /// From the session file, in which this one was noted.
    Continued(ThreadId),
    /// From here: it could not be noted.
    Unnoted(ThreadId),
    /// Disabled by the user.
    New,
}

/// How the next turn begins.
pub(super) struct Opening {
    /// The thread to go on in.
    pub(super) thread: Option<ThreadId>,
    /// The report, with what there is to say of that.
    pub(super) report: Orchestration,
}

impl Conversation {
    /// A conversation as the command line has it. Nothing is started yet.
    ///
    /// # Errors
    /// The folder is not a folder, or no signal can be listened for.
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

    /// How long a turn may take here, a moment more than at the bridge.
    pub(super) fn patience(&self) -> Duration {
        let most = contract::limits::TURN_TIMEOUT_MAX_MS;
        Duration::from_millis(self.options.timeout_ms.unwrap_or(most)) + Duration::from_secs(30)
    }

    /// The root of the repository, where no report names it.
    pub(super) fn root(&self) -> PathBuf {
        if let Some(root) = self.environment.get(variables::REPO_ROOT) {
            return self.workspace.join(root);
        }
        let above = host::own::repository_around(&self.workspace);
        above.unwrap_or(&self.workspace).to_owned()
    }

    /// The thread that goes on, as far as that is known before the next turn.
    pub(super) fn thread(&self) -> Result<ThreadId, NoThread> {
        match self.next {
            Next::Unnoted(thread) => Ok(thread),
            Next::New => Err(NoThread::Missing),
            Next::Noted | Next::Continued(_) => SessionFile::below(&self.root()).read(),
        }
    }

    /// How the turn begins that this report is for.
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

    /// Notes what came of a turn; says in the report where that failed.
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

    /// Begins anew with the next turn.
    ///
    /// # Errors
    /// The note cannot be removed; the conversation begins anew all the same.
    pub(super) fn begin_anew(&mut self) -> std::io::Result<()> {
        self.next = Next::New;
        SessionFile::below(&self.root()).forget()
    }
}

/// The note of the repository that a report is about, or else of `root`.
pub(super) fn note_of(report: &Orchestration, root: &Path) -> SessionFile {
    let named = parts::repo_root(report.body());
    SessionFile::below(named.map_or(root, Path::new))
}
