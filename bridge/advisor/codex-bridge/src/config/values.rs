//! The configuration as plain values.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use host::secret::Secret;

/// The daemon's configuration, resolved once.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address to listen on; loopback unless the operator allowed more. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// An additional Unix socket to listen on.
    pub socket: Option<PathBuf>,
    /// Whether a non-loopback `listen` is accepted.
    pub allow_remote: bool,
    /// The state folder: store, token, private Codex home, address file.
    pub state_dir: PathBuf,
    /// The advisor's token from environment, file or service manager; otherwise it is kept in
    /// `<state_dir>/token`.
    pub token: Option<Secret>,
    /// The token of `/orchestrate`, in the same way; otherwise kept in `<state_dir>/token-orchestrate`.
    pub orchestrate_token: Option<Secret>,
    /// How Codex is found and what it may do.
    pub codex: CodexConfig,
    /// Bounds.
    pub limits: Limits,
    /// How long a session can be continued after it was opened.
    pub session_ttl: Duration,
    /// Retention of texts and runs.
    pub store: StoreConfig,
    /// The web pages.
    pub window: WindowConfig,
    /// Format and level of the log.
    pub log: LogConfig,
}

/// How Codex is found and what it may do.
#[derive(Debug, Clone)]
pub struct CodexConfig {
    /// The executable; found on PATH and in the npm layout when absent.
    pub bin: Option<PathBuf>,
    /// The model; Codex's own default when absent.
    pub model: Option<String>,
    /// URL of a Responses API other than OpenAI's.
    pub base_url: Option<String>,
    /// Name of the environment variable in which Codex finds a key; the user's sign-in when absent.
    pub api_key_env: Option<String>,
    /// The key, from that variable of ours or from a file, read once at start.
    pub api_key: Option<Secret>,
    /// The Codex home whose sign-in is shared; absent only if there is no home folder at all.
    pub auth_home: Option<PathBuf>,
    /// Whether Codex may read a workspace through its sandboxed shell.
    pub shell: codex_driver::home::ShellAccess,
    /// The folders a `workspace` may lie in.
    pub workspace_roots: Vec<PathBuf>,
    /// Sandbox of the user's own Codex in a turn of `/orchestrate`.
    pub orchestrate_sandbox: codex_driver::SandboxMode,
    /// Whether a Codex that failed the self-test is used anyway.
    pub allow_unproven: bool,
    /// How Codex is driven for requests for advice.
    pub driver: DriverChoice,
    /// Whether the model is asked for a summary of its reasoning.
    pub wants_summary: bool,
}

/// How Codex is driven for requests for advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriverChoice {
    /// By `codex exec`.
    Exec,
    /// By `codex app-server`; fails if that is not supported.
    AppServer,
    /// By `codex app-server` if supported, else by `codex exec`.
    Auto,
}

/// Bounds of the service.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum number of concurrent Codex processes.
    pub max_running: usize,
    /// Maximum number of queued requests.
    pub max_queued: usize,
    /// Deadline of a run whose request sets none.
    pub deadline: Duration,
    /// Longest deadline a caller may ask for.
    pub deadline_max: Duration,
    /// Default and maximum deadline of a turn of `/orchestrate`.
    pub turn: Duration,
    /// Provider silence after which an attempt counts as stalled.
    pub stall: Duration,
    /// How long runs in flight may continue after a shutdown was requested.
    pub drain: Duration,
}

/// Retention settings.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// How long runs and sessions are kept.
    pub retention: Duration,
    /// Whether prompts and answers are stored (redacted), or only metadata.
    pub bodies: bool,
}

/// The web pages.
#[derive(Debug, Clone)]
pub struct WindowConfig {
    /// Whether they are served.
    pub enabled: bool,
    /// How long a browser stays signed in.
    pub session: Duration,
    /// Token prices; at most one per model.
    pub prices: Vec<Price>,
}

/// Token prices of a model, in millionths of the currency's unit per million tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The model's name as in runs.
    pub model: String,
    /// Price of input tokens.
    pub input: u64,
    /// Price of input tokens found in the provider's cache.
    pub cached: u64,
    /// Price of output tokens.
    pub output: u64,
    /// Currency, such as `USD`.
    pub currency: String,
}

/// Format and level of the log.
#[derive(Debug, Clone)]
pub struct LogConfig {
    /// JSON lines, or readable text.
    pub format: LogFormat,
    /// A `tracing` filter such as `info` or `codex_bridge=debug`.
    pub level: String,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON elsewhere.
    Auto,
    /// One JSON object a line.
    Json,
    /// Readable text.
    Pretty,
}
