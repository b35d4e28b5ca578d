//! `shell`: runs a command of the model under the run guard. Not here: whether it may run.

mod choose;
mod environment;
mod kept;
mod lane;
mod output;
mod report;
mod shell_task;
mod tasks;
mod timeout;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::xc::{CallStatus, CommandRun, Stream};
use futures_util::future::BoxFuture;
use llm::Cancel;
use redact::{Cut, Redactor};
use serde_json::{Map, Value, json};
use supervise::{
    Cause, Chunk, Command, Exit, Guard, Limits, SpawnError, WatchBounds, Watched, watch,
};
use tokio::time::Instant;

pub use choose::{choose_shell, shell_version};
pub use environment::{command_environment, foreign_environment};
pub use shell_task::shell_task_tool;
pub use tasks::{TaskEnd, TaskView, Tasks};

pub(crate) use tasks::TaskNews;

use self::lane::{Lane, PAUSE};
use self::output::Output;
use self::tasks::{NotStarted, Start};
use self::timeout::milliseconds;
use crate::action::{Action, Bounds};
use crate::host::Host;
use crate::sandbox::Sandbox;
use crate::tool::{Outcome, Running, Tool};

/// How long a command has to react to SIGINT before everything is killed.
const GRACE: Duration = Duration::from_millis(300);

/// The argument that requests a command outside of the sandbox.
const UNSANDBOXED: &str = "unsandboxed";

/// The argument that requests a background command.
const BACKGROUND: &str = "background";

/// The confinement of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fencing {
    /// None.
    Off,
    /// A sandbox, except for commands that the user permits outside.
    On(Sandbox),
    /// Confinement is required and not available: no command is run.
    Missing,
}

impl Fencing {
    /// The sandbox, if there is one.
    #[must_use]
    pub fn sandbox(&self) -> Option<&Sandbox> {
        match self {
            Self::On(sandbox) => Some(sandbox),
            Self::Off | Self::Missing => None,
        }
    }
}

/// The message to the model when confinement is required and not available.
const MISSING: &str =
    "No command was run: the settings require a sandbox (sandbox.mode), and this system has none.";

/// How commands run.
#[derive(Clone)]
pub struct Shell {
    /// Starts commands, and ends all their processes.
    pub guard: Guard,
    /// The shell, from [`choose_shell`].
    pub program: PathBuf,
    /// The complete environment of a command ([`command_environment`]).
    pub env: Vec<(OsString, OsString)>,
    /// The default timeout.
    pub timeout: Duration,
    /// The longest timeout.
    pub max_timeout: Duration,
    /// Masks the keys in all output.
    pub redactor: Redactor,
    /// The working folder of commands: the workspace's root.
    pub root: PathBuf,
    /// The confinement of commands.
    pub fencing: Fencing,
    /// The background commands.
    pub tasks: Tasks,
}

/// The tool `shell`.
#[must_use]
pub fn shell_tool(shell: Shell) -> Arc<dyn Tool> {
    Arc::new(shell)
}

impl Tool for Shell {
    fn definition(&self) -> llm::Tool {
        let mut properties = json!({
            "command": { "type": "string", "description": "The command to execute" },
            "timeout": {
                "type": "number",
                "description": "Timeout in milliseconds (default: 30000)"
            },
            BACKGROUND: {
                "type": "boolean",
                "description": "Let it run in the background, without a timeout unless you give one, and \
                                return at once: a server, a watcher, a long build. shellTask looks at it \
                                and ends it; it ends with the session (default: false)"
            }
        });
        if let (Fencing::On(_), Some(properties)) = (&self.fencing, properties.as_object_mut()) {
            let lift = json!({
                "type": "boolean",
                "description": "Run it outside of the sandbox; the user is asked (default: false)"
            });
            properties.insert(UNSANDBOXED.to_owned(), lift);
        }
        llm::Tool {
            name: "shell".to_owned(),
            description: "Execute a shell command and return stdout/stderr. Commands should be \
                          compatible with the current platform shell."
                .to_owned(),
            schema: json!({
                "type": "object",
                "properties": properties,
                "required": ["command"],
                "additionalProperties": false
            }),
        }
    }

    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        let is_lifted = arguments.get(UNSANDBOXED).and_then(Value::as_bool) == Some(true);
        Action::Shell {
            command: command(arguments).to_owned(),
            cwd: self.root.clone(),
            bounds: if is_lifted { Bounds::Lifted } else { Bounds::Usual },
        }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(self.execute(call))
    }
}

impl Shell {
    /// Runs a command that the user typed: without a permission check or a sandbox, with the longest timeout,
    /// and without telling the model. Its output is sent to `host` as that of the call `id`.
    pub async fn run_for_user(
        &self,
        id: &str,
        command: &str,
        host: &dyn Host,
        cancel: &Cancel,
    ) -> Outcome {
        let longest = u64::try_from(self.max_timeout.as_millis()).unwrap_or(u64::MAX);
        let arguments = Map::from_iter([("timeout".to_owned(), longest.into())]);
        let bounds = Bounds::Lifted;
        let action = Action::Shell { command: command.to_owned(), cwd: self.root.clone(), bounds };
        let (arguments, action) = (&arguments, &action);
        // The user's own command needs no more confinement than the user's own shell has.
        let own = Self { fencing: Fencing::Off, ..self.clone() };
        own.execute(Running { id, arguments, action, instead: None, host, cancel }).await
    }

    /// Runs the command, streams its output, and reports how it ended.
    async fn execute(&self, call: Running<'_>) -> Outcome {
        let Action::Shell { command: text, cwd, bounds: lifted } = call.action else {
            return Outcome::error("No command was judged, so none was run.");
        };
        if text.contains('\0') {
            return Outcome::error("The command has a zero byte in it; no program takes one.");
        }
        let sandbox = match (&self.fencing, lifted) {
            (Fencing::Missing, Bounds::Usual) => return Outcome::error(MISSING),
            (Fencing::On(sandbox), Bounds::Usual) => Some(sandbox),
            (_, Bounds::Lifted) | (Fencing::Off, _) => None,
        };
        let (name, value) = environment::MARK;
        let guard = self.guard.clone().with_env([(name, value.into())]);
        let guard = match sandbox {
            Some(sandbox) => guard.with_confine(sandbox.confine()),
            None => guard,
        };
        if call.arguments.get(BACKGROUND).and_then(Value::as_bool) == Some(true) {
            return self.start(guard, sandbox, (text, cwd), &call).await;
        }
        let unasked = sandbox.map(Sandbox::unasked);
        let timeout = self.timeout_of(call.arguments);
        let bounds = WatchBounds {
            deadline: Instant::now() + timeout,
            output_max: report::OUTPUT_MAX,
            grace: GRACE,
            limits: Limits::NONE,
        };
        let lane = |stream| Mutex::new(Lane::new(stream, &self.redactor));
        let lanes = [lane(Stream::Stdout), lane(Stream::Stderr)];
        let ended = self.watched(&guard, self.started_by(text, cwd), bounds, &lanes, &call).await;
        let finish = |lane: Mutex<Lane>| lane.into_inner().unwrap_or_else(PoisonError::into_inner);
        let [stdout, stderr] = lanes.map(|lane| finish(lane).finish(&call));
        let put_aside = unasked.and_then(|unasked| unasked.put_aside());
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) => {
                let error = host::ErrorChain(&error);
                return Outcome::error(format!("The command was not run: {error}"));
            }
        };
        let exit = match ended.exit {
            Exit::Code(code) if ended.cause == Cause::Exited => Some(code),
            _ => None,
        };
        let status = match ended.cause {
            Cause::Exited if exit == Some(0) => CallStatus::Ok,
            Cause::Deadline => CallStatus::Timeout,
            Cause::Cancelled => CallStatus::Interrupted,
            _ => CallStatus::Error,
        };
        let command = self.redactor.sanitize(text, Cut::NONE).text.into_owned();
        let mut text = report::text(&ended, timeout, stdout, stderr);
        if exit != Some(0) && sandbox.is_some_and(|sandbox| sandbox.has_refused(&text)) {
            text.push('\n');
            text.push_str(report::REFUSED);
        }
        text.push_str(put_aside.as_deref().unwrap_or_default());
        Outcome { status, text, changed: Vec::new(), command: Some(CommandRun { command, exit }) }
    }

    /// Starts the command in the background.
    async fn start(
        &self,
        guard: Guard,
        sandbox: Option<&Sandbox>,
        (text, cwd): (&str, &Path),
        call: &Running<'_>,
    ) -> Outcome {
        let asked = call.arguments.get("timeout");
        let start = Start {
            guard,
            command: self.started_by(text, cwd),
            shown: self.redactor.sanitize(text, Cut::NONE).text.into_owned(),
            timeout: asked.and_then(Value::as_f64).and_then(milliseconds),
            output: Output::new(&self.redactor),
            grace: GRACE,
            sandbox: sandbox.cloned(),
            unasked: sandbox.map(|sandbox| sandbox.unasked().of_git()),
        };
        match self.tasks.start(start, call.cancel).await {
            Ok(task) => Outcome::ok(format!(
                "Task {task} runs in the background. shellTask shows what it prints, waits for its end, or ends it."
            )),
            Err(NotStarted::TooMany) => Outcome::error(
                "The command was not run: as many tasks run in the background as may. End one with shellTask.",
            ),
            Err(NotStarted::Interrupted) => {
                Outcome { status: CallStatus::Interrupted, ..Outcome::error("It was not started.") }
            }
            Err(NotStarted::Spawn(error)) => {
                let error = host::ErrorChain(&error);
                Outcome::error(format!("The command was not run: {error}"))
            }
            Err(NotStarted::Internal) => {
                Outcome::error("The command was not run: an internal error.")
            }
        }
    }

    /// Runs the command until it ends, and shows incomplete lines during pauses of its output.
    async fn watched(
        &self,
        guard: &Guard,
        command: Command,
        bounds: WatchBounds,
        lanes: &[Mutex<Lane>; 2],
        call: &Running<'_>,
    ) -> Result<Watched, SpawnError> {
        let with = |lane: &Mutex<Lane>, act: &dyn Fn(&mut Lane)| {
            act(&mut lane.lock().unwrap_or_else(PoisonError::into_inner));
        };
        let [stdout, stderr] = lanes;
        let on_chunk = |chunk: Chunk<'_>| match chunk {
            Chunk::Started(_) => {}
            Chunk::Stdout(bytes) => with(stdout, &|lane| lane.push(bytes, call)),
            Chunk::Stderr(bytes) => with(stderr, &|lane| lane.push(bytes, call)),
        };
        let run = watch(guard, command, bounds, call.cancel, on_chunk);
        tokio::pin!(run);
        loop {
            tokio::select! {
                ended = &mut run => return ended,
                () = tokio::time::sleep(PAUSE) => {
                    for lane in lanes {
                        with(lane, &|lane| lane.pause(call));
                    }
                }
            }
        }
    }

    /// The process to start for a command.
    fn started_by(&self, command: &str, cwd: &Path) -> Command {
        // A shell would take a command that begins in this way for its own options.
        let is_option = command.starts_with(['-', '+']);
        let command = if is_option { format!(" {command}") } else { command.to_owned() };
        Command {
            program: self.program.clone(),
            args: vec!["-c".into(), command.into()],
            env: self.env.clone(),
            current_dir: cwd.to_owned(),
            stdin: Vec::new(),
        }
    }

    /// The timeout in milliseconds that the model gave, within the limits.
    fn timeout_of(&self, arguments: &Map<String, Value>) -> Duration {
        let asked = arguments.get("timeout").and_then(Value::as_f64).and_then(milliseconds);
        asked.unwrap_or(self.timeout).min(self.max_timeout)
    }
}

fn command(arguments: &Map<String, Value>) -> &str {
    arguments.get("command").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell() -> Shell {
        Shell {
            guard: Guard::new("/no/such/guard".into()),
            program: "/bin/sh".into(),
            env: Vec::new(),
            timeout: Duration::from_secs(30),
            max_timeout: Duration::from_secs(600),
            redactor: Redactor::new(),
            root: "/home/dev/app".into(),
            fencing: Fencing::Off,
            tasks: Tasks::default(),
        }
    }

    #[test]
    fn the_timeout_is_the_models_within_the_limits() {
        for (asked, expected_ms) in [
            (json!({}), 30_000),
            (json!({ "timeout": 1 }), 1),
            (json!({ "timeout": 1500.5 }), 1_500),
            (json!({ "timeout": 900_000 }), 600_000),
            (json!({ "timeout": 1e300 }), 600_000),
            (json!({ "timeout": 0 }), 30_000),
            (json!({ "timeout": -5 }), 30_000),
            (json!({ "timeout": "5" }), 30_000),
        ] {
            let timeout = shell().timeout_of(asked.as_object().unwrap());
            assert_eq!(timeout.as_millis(), expected_ms, "{asked}");
        }
    }

    #[test]
    fn it_is_described_in_the_words_of_the_seed() {
        let llm::Tool { name, description, schema } = shell().definition();
        assert_eq!(
            (name.as_str(), description.as_str()),
            (
                "shell",
                "Execute a shell command and return stdout/stderr. Commands should be compatible with the \
                 current platform shell."
            )
        );
        let mut properties = schema["properties"].clone();
        // Beyond the seed: XC-101.
        assert_eq!(
            properties.as_object_mut().unwrap().remove(BACKGROUND).unwrap()["type"],
            "boolean"
        );
        assert_eq!(
            properties,
            json!({
                "command": { "type": "string", "description": "The command to execute" },
                "timeout": {
                    "type": "number",
                    "description": "Timeout in milliseconds (default: 30000)"
                }
            })
        );
        assert_eq!(schema["required"], json!(["command"]));
        jsonschema::validator_for(&schema).unwrap();
        let arguments = json!({ "command": "ls" });
        let Action::Shell { command, cwd, bounds } = shell().action(arguments.as_object().unwrap())
        else {
            panic!("no shell")
        };
        assert_eq!((command.as_str(), cwd), ("ls", PathBuf::from("/home/dev/app")));
        assert_eq!(bounds, Bounds::Usual);
    }
}
