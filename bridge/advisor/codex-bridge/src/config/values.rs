//! The configuration as plain values.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use host::secret::Secret;

/// Everything the daemon needs to know, resolved once.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen; loopback unless the operator allowed more. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// A Unix socket to listen on as well.
    pub socket: Option<PathBuf>,
    /// Whether a non-loopback `listen` is accepted.
    pub allow_remote: bool,
    /// Where the state lies: store, token, private Codex home, address file.
    pub state_dir: PathBuf,
    /// The advisor's token as given by environment, file or service manager; otherwise it lies in
    /// `<state_dir>/token`.
    pub token: Option<Secret>,
    /// The token of `/orchestrate`, in the same way; otherwise in `<state_dir>/token-orchestrate`.
    pub orchestrate_token: Option<Secret>,
    /// How Codex is found and what it may do.
    pub codex: CodexConfig,
    /// Bounds.
    pub limits: Limits,
    /// How long a session may be continued after it was opened.
    pub session_ttl: Duration,
    /// What is kept, and for how long.
    pub store: StoreConfig,
    /// The pages.
    pub window: WindowConfig,
    /// How the log looks.
    pub log: LogConfig,
}

/// How Codex is found and what it may do.
#[derive(Debug, Clone)]
pub struct CodexConfig {
    /// The executable; found on PATH and in the npm layout when absent.
    pub bin: Option<PathBuf>,
    /// The model; Codex's own default when absent.
    pub model: Option<String>,
    /// A Responses API other than OpenAI's.
    pub base_url: Option<String>,
    /// Name of the environment variable in which Codex finds a key; the user's sign-in when absent.
    pub api_key_env: Option<String>,
    /// The key, from that variable of ours or from a file, read once at start.
    pub api_key: Option<Secret>,
    /// The Codex home whose sign-in is shared; absent only where there is no home folder at all.
    pub auth_home: Option<PathBuf>,
    /// Whether Codex may read a workspace through its sandboxed shell.
    pub shell: codex_driver::home::ShellAccess,
    /// The folders a `workspace` may lie in.
    pub workspace_roots: Vec<PathBuf>,
    /// What the user's own Codex may do in a turn of `/orchestrate`.
    pub orchestrate_sandbox: codex_driver::SandboxMode,
    /// Whether a Codex that failed the self-test is used all the same.
    pub allow_unproven: bool,
    /// How Codex is driven for advice.
    pub driver: DriverChoice,
    /// Whether the model is asked for a summary of its reasoning.
    pub wants_summary: bool,
}

/// How Codex is driven for advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriverChoice {
    /// By `codex exec`.
    Exec,
    /// By `codex app-server`; where that does not do, not at all.
    AppServer,
    /// By `codex app-server` where that does, else by `codex exec`.
    Auto,
}

/// Bounds of the service.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Codex processes at once.
    pub max_running: usize,
    /// Requests that may wait.
    pub max_queued: usize,
    /// Deadline of a run that names none.
    pub deadline: Duration,
    /// Longest deadline a caller may ask for.
    pub deadline_max: Duration,
    /// Deadline of a turn of `/orchestrate` that names none, and the longest it may ask for.
    pub turn: Duration,
    /// Silence of the provider after which an attempt counts as stalled.
    pub stall: Duration,
    /// How long runs in flight may finish after a stop was asked for.
    pub drain: Duration,
}

/// What is kept.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// How long runs and sessions are kept.
    pub retention: Duration,
    /// Whether prompts and answers are kept (redacted) or only the facts about them.
    pub bodies: bool,
}

/// The pages for people.
#[derive(Debug, Clone)]
pub struct WindowConfig {
    /// Whether they are served.
    pub enabled: bool,
    /// How long a browser stays signed in.
    pub session: Duration,
    /// What tokens cost; no model has two.
    pub prices: Vec<Price>,
}

/// What tokens of a model cost, each in millionths of the currency's unit for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The model, as runs name it.
    pub model: String,
    /// Of tokens that are sent.
    pub input: u64,
    /// Of those that the provider had in its cache.
    pub cached: u64,
    /// Of tokens that are received.
    pub output: u64,
    /// Such as `USD`.
    pub currency: String,
}

/// How the log looks.
#[derive(Debug, Clone)]
pub struct LogConfig {
    /// JSON lines, or lines for people.
    pub format: LogFormat,
    /// A `tracing` filter such as `info` or `codex_bridge=debug`.
    pub level: String,
}

/// The log's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON elsewhere.
    Auto,
    /// One JSON object a line.
    Json,
    /// For people.
    Pretty,
}
