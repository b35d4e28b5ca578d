//! An MCP server as a toolbox: started behind a run guard by the first call, used over its standard
//! input and output, and ended with this process. Its answers are untrusted; [`answer`] converts them into
//! findings.

mod answer;
mod arguments;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use intent::root::Root;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, Tool};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use supervise::{Command, Guard, StderrTail};
use tokio::net::unix::OwnedWriteHalf;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{timeout, timeout_at};

use crate::control::{Mapped, Server};
use crate::environment::Environment;
use crate::tool::{Args, Found, ToolFault, Toolbox};

/// The environment variables that a server gets; others, such as keys, are not passed.
const VARIABLES: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "TMPDIR",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];
/// Maximum length of a server's error message that is repeated, in characters.
const WHY_MAX: usize = 160;
/// How long to wait for the error output of a server that failed: it is being killed, which load can slow down.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(crate) struct McpServer {
    server: Server,
    root: Root,
    env: Vec<(OsString, OsString)>,
    /// Created by the first call; the connection runs on its thread.
    runtime: OnceLock<Result<Runtime, ToolFault>>,
    /// Started by the first call; other calls wait for it.
    connection: OnceLock<watch::Receiver<Option<Result<Connection, ToolFault>>>>,
}

/// An initialised server.
struct Connection {
    client: RunningService<RoleClient, ClientConfig>,
    tools: Vec<Tool>,
    /// Name and version that it reports.
    version: String,
}

/// Parameters to start a server.
struct Start {
    server: Server,
    root: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl McpServer {
    /// A server for a root. Starts nothing yet.
    pub(crate) fn new(server: &Server, root: &Root, environment: &Environment) -> Self {
        let usual = VARIABLES.iter().filter_map(|name| {
            environment.get(name).map(|value| (OsString::from(name), value.to_owned()))
        });
        let own = server.env.iter().map(|(name, value)| (name.into(), value.into()));
        Self {
            server: server.clone(),
            root: root.clone(),
            // For a repeated name the later value is used.
            env: usual.chain(own).collect(),
            runtime: OnceLock::new(),
            connection: OnceLock::new(),
        }
    }

    fn runtime(&self) -> Result<&Runtime, ToolFault> {
        let make = || {
            let built = Builder::new_multi_thread().worker_threads(1).enable_all().build();
            built.map_err(|error| ToolFault::Unavailable(format!("no thread for it: {error}")))
        };
        self.runtime.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// The connection, which the first call creates and which outlives a caller's timeout.
    fn connection(
        &self,
        runtime: &Runtime,
    ) -> watch::Receiver<Option<Result<Connection, ToolFault>>> {
        let start = || {
            let (sender, receiver) = watch::channel(None);
            let (server, root) = (self.server.clone(), self.root.path.clone());
            let start = Start { server, root, env: self.env.clone() };
            runtime.spawn(async move {
                // If no caller waits, the server ends too.
                let _ = sender.send(Some(start.connect().await));
                sender.closed().await;
            });
            receiver
        };
        self.connection.get_or_init(start).clone()
    }

    async fn ask(
        &self,
        runtime: &Runtime,
        mapped: &Mapped,
        args: &Args,
    ) -> Result<Found, ToolFault> {
        let mut connection = self.connection(runtime);
        let connection = connection
            .wait_for(Option::is_some)
            .await
            .map_err(|_| self.unavailable("it could not be started"))?;
        let (client, version) = match &*connection {
            Some(Ok(connection)) => {
                self.refuse(connection, mapped)?;
                (connection.client.peer().clone(), connection.version.clone())
            }
            Some(Err(fault)) => return Err(fault.clone()),
            None => return Err(self.unavailable("it could not be started")),
        };
        drop(connection);
        let arguments = match &mapped.arguments {
            Some(template) => {
                let mut ours = args.clone();
                ours.insert("root".to_owned(), self.root.path.to_string_lossy().into());
                arguments::fill(template, &ours)
            }
            None => args.clone(),
        };
        let call = CallToolRequestParams::new(mapped.tool.clone()).with_arguments(arguments);
        let result = client.call_tool(call).await;
        let result =
            result.map_err(|error| match (self.unavailable(&error.to_string()), error) {
                // Its response does not conform to the protocol.
                (ToolFault::Unavailable(why), ServiceError::UnexpectedResponse) => {
                    ToolFault::Unreadable(why)
                }
                (fault, _) => fault,
            })?;
        let found = answer::found(&result, &self.root, version);
        found.map_err(|fault| match fault {
            ToolFault::Unavailable(why) => self.unavailable(&why),
            other => other,
        })
    }

    /// Refuses a tool that does not exist, and one that the server declares as not read-only.
    fn refuse(&self, connection: &Connection, mapped: &Mapped) -> Result<(), ToolFault> {
        let Some(tool) = connection.tools.iter().find(|tool| tool.name == mapped.tool) else {
            return Err(self.unavailable(&format!("it has no tool {}", mapped.tool)));
        };
        let annotations = tool.annotations.as_ref();
        let says =
            |hint: fn(&rmcp::model::ToolAnnotations) -> Option<bool>| annotations.and_then(hint);
        if says(|it| it.read_only_hint) == Some(false)
            && says(|it| it.destructive_hint) != Some(false)
        {
            return Err(self.unavailable(&format!("its tool {} is not read-only", mapped.tool)));
        }
        Ok(())
    }

    fn unavailable(&self, why: &str) -> ToolFault {
        unavailable(&self.server.name, why)
    }
}

impl Toolbox for McpServer {
    fn offers(&self, tool: &str) -> bool {
        self.server.tool(tool).is_some()
    }

    fn call(&self, tool: &str, args: &Args, due: Instant) -> Result<Found, ToolFault> {
        let Some(mapped) = self.server.tool(tool) else {
            return Err(self.unavailable(&format!("it has no tool {tool}")));
        };
        let runtime = self.runtime()?;
        runtime.block_on(async {
            let answer = timeout_at(due.into(), self.ask(runtime, &mapped, args)).await;
            answer.unwrap_or(Err(ToolFault::TooSlow))
        })
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        // Do not wait for its thread: closing the channel ends the server.
        if let Some(Ok(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Start {
    async fn connect(self) -> Result<Connection, ToolFault> {
        let name = self.server.name.clone();
        let failed = |why: &str| unavailable(&name, why);
        let path = self.env.iter().rev().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, path)| path.clone()).unwrap_or_default();
        let word = &self.server.command[0];
        let program = if word.starts_with('/') {
            PathBuf::from(word)
        } else {
            let found = host::find_program(word, &path);
            found.ok_or_else(|| failed(&format!("{word} is not on the PATH")))?
        };
        let command = Command {
            program,
            args: self.server.command[1..].iter().map(OsString::from).collect(),
            env: self.env,
            current_dir: self.root,
            stdin: Vec::new(),
        };
        // Script engines reserve more address space than the limit allows.
        let guard = Guard::current_exe().map_err(|error| failed(&error.to_string()))?;
        let talk = supervise::converse(&guard.with_address_space(None), command).await;
        let talk = talk.map_err(|error| failed(&error.to_string()))?;
        introduce(talk.input, talk.output, talk.stderr, &name).await
    }
}

async fn introduce(
    input: OwnedWriteHalf,
    output: tokio::net::unix::pipe::Receiver,
    mut stderr: StderrTail,
    name: &str,
) -> Result<Connection, ToolFault> {
    let us = Implementation::new("auto-tool-orchestrator", release::VERSION);
    let config = ClientConfig::new(ClientCapabilities::default(), us);
    let asked = async {
        let client = config.serve((output, input)).await.map_err(|error| error.to_string())?;
        let tools = client.list_all_tools().await.map_err(|error| error.to_string())?;
        Ok::<_, String>((client, tools))
    };
    let (client, tools) = match asked.await {
        Ok(answers) => answers,
        Err(why) => {
            // Its input is closed by now, which ends it. A crashed server prints the reason on its standard
            // error, if anywhere; other holders of that pipe are not waited for.
            let said = timeout(LAST_WORDS, stderr.whole()).await;
            let said = said.unwrap_or_else(|_| stderr.text());
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            return Err(unavailable(name, last.unwrap_or(&why)));
        }
    };
    let version = match client.peer_info().and_then(|info| info.server_info.clone()) {
        Some(server) => format!("{} {} (server {name})", server.name, server.version),
        None => format!("server {name}"),
    };
    Ok(Connection { client, tools, version })
}

fn unavailable(server: &str, why: &str) -> ToolFault {
    let why: String = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let why: String = why.chars().take(WHY_MAX).collect();
    ToolFault::Unavailable(format!("server {server}: {why}"))
}
