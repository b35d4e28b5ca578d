//! The bridge of this program: a running daemon, else its own, which always ends with
//! it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use client::launch::{Launch, START_LIMIT, failed};
use client::{Client, ConnectOptions, Discovery, Presence};
use contract::failure::Failure;
use contract::orchestrate::Sandbox;
use contract::workspace::Workspace;
use host::environment::{self, Environment};
use host::token::Rights;
use host::{address, project};
use supervise::Attached;
use tokio::time::Instant;

/// Folder for the state of such attached daemons, within the default state folder.
const FOLDER: &str = "attached";

/// Timeout for finding out whether a daemon is running.
const PRESENCE_LIMIT: Duration = Duration::from_secs(10);

/// Minimum age of leftover files of a killed daemon that are removed. A daemon removes its folder
/// itself unless it is killed.
const LEFT_OVER: Duration = Duration::from_secs(3600);

/// Variables that locate another daemon; not passed to our own.
const OF_ANOTHER: [&str; 5] = [
    environment::URL,
    environment::STATE_DIR,
    environment::TOKEN,
    environment::ORCHESTRATE_TOKEN,
    "CODEX_BRIDGE_SOCKET",
];

/// Sandbox of the user's own Codex in a turn (`codex.orchestrate_sandbox`).
const SANDBOX: &str = "CODEX_BRIDGE_CODEX_ORCHESTRATE_SANDBOX";

/// The running daemon or our own.
pub(super) struct Bridge {
    environment: Environment,
    wishes: ConnectOptions,
    /// The project of the conversation and its runs.
    workspace: Option<Workspace>,
    own: Option<Own>,
    whose: Whose,
}

/// Our own daemon. Dropping it ends it.
struct Own {
    daemon: Attached,
    client: Client,
}

/// Which daemon is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whose {
    /// No daemon was needed yet.
    Unknown,
    /// A daemon that was already running.
    Shared,
    /// A daemon started for this program; its process id.
    Own(u32),
}

impl Bridge {
    /// Does not search yet. Our own daemon uses the sandbox mode `sandbox`.
    pub(super) fn new(
        environment: Environment,
        wishes: ConnectOptions,
        folder: &Path,
        sandbox: Option<Sandbox>,
    ) -> Self {
        let environment = match sandbox {
            Some(Sandbox::WorkspaceWrite) => environment.with(SANDBOX, "workspace-write"),
            Some(Sandbox::ReadOnly) | None => environment,
        };
        let home = environment.folder(environment::HOME);
        let workspace = Workspace::of(&project::root(folder, home.as_deref()));
        Self { environment, wishes, workspace, own: None, whose: Whose::Unknown }
    }

    /// Which daemon is used, as far as known.
    pub(super) fn whose(&self) -> &Whose {
        &self.whose
    }

    /// A client of a daemon that responds.
    ///
    /// # Errors
    /// `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// A daemon that was just started is ended.
    pub(super) async fn client(&mut self) -> Result<Client, Failure> {
        if let Some(own) = &mut self.own {
            if matches!(own.daemon.ended(), Ok(None)) {
                return Ok(own.client.clone());
            }
            self.own = None;
        }
        let is_named =
            self.wishes.url.is_some() || self.environment.get(environment::URL).is_some();
        let discovery = discovery(self.environment.clone(), self.wishes.clone());
        let shared = Client::new(discovery.clone()).of_workspace(self.workspace.clone());
        match shared.presence(Instant::now() + PRESENCE_LIMIT).await {
            // Without a readable token it belongs to another user.
            Presence::Serving(_) if is_named || discovery.token().is_ok() => {
                self.whose = Whose::Shared;
                return Ok(shared);
            }
            Presence::Nobody(failure) | Presence::Unusable(failure) if is_named => {
                return Err(failure);
            }
            Presence::Serving(_) | Presence::Nobody(_) | Presence::Unusable(_) => {}
        }
        let own = start(&self.environment, &discovery).await?;
        let own = Own { client: own.client.of_workspace(self.workspace.clone()), ..own };
        let client = own.client.clone();
        self.whose = Whose::Own(own.daemon.pid());
        self.own = Some(own);
        Ok(client)
    }
}

/// Turns of the user's own Codex need more rights than those of the advisor's token.
fn discovery(environment: Environment, wishes: ConnectOptions) -> Discovery {
    Discovery::new(environment, wishes).with_rights(Rights::Orchestrate)
}

async fn start(environment: &Environment, discovery: &Discovery) -> Result<Own, Failure> {
    let state = discovery.state_dir().ok_or_else(|| {
        failed("there is no state folder for it: HOME and CODEX_BRIDGE_STATE_DIR are not set")
    })?;
    let folder = state.join(FOLDER);
    let named = |error: io::Error| failed(format!("{}: {error}", folder.display()));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(named)?;
    sweep(&folder);
    let own = folder.join(format!("{}-{}", std::process::id(), token()?.split_at(8).0));
    let log = own.with_extension("log");
    let token = token()?;
    // Its log after the start is not read, and goes to an unlinked file.
    let args = ["--attached", "--listen", "127.0.0.1:0", "--log-level", "warn"];
    let ours = OF_ANOTHER.iter().fold(environment.clone(), Environment::without);
    let ours = ours.with(environment::ORCHESTRATE_TOKEN, &token);
    let mut daemon = Launch::new(&ours, &own, &log, args.map(OsString::from))?.attached()?;
    let client = || {
        let url = address::read(&own)?;
        let known = environment.clone().with(environment::URL, url);
        let known = known.with(environment::ORCHESTRATE_TOKEN, &token);
        Some(Client::new(self::discovery(known, ConnectOptions::default())))
    };
    let answered = daemon.answered(client, Instant::now() + START_LIMIT).await;
    // The log is not read once it is known whether the daemon serves; the daemon keeps its descriptor.
    let _ = fs::remove_file(&log);
    Ok(Own { client: answered?, daemon: daemon.process })
}

/// A secret known only to this program and its daemon.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| failed(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Removes leftovers of daemons that were killed together with their programs.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.split(['-', '.']).next()?.parse::<u32>().ok());
        let is_alive = pid.is_none_or(|pid| Path::new("/proc").join(pid.to_string()).exists());
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if is_alive || age.is_none_or(|age| age < LEFT_OVER) {
            continue;
        }
        // A folder that cannot be removed now is tried again by the next program.
        let path = entry.path();
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}
