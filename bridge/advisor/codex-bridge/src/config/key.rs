//! The list of the daemon's settings: their names in the file, their environment variables, and what they mean.

macro_rules! keys {
    ($($variant:ident = $name:literal, $variable:literal: $what:literal;)*) => {
        /// A setting of the daemon, with its environment variable. The list is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $(#[doc = $what] $variant,)*
        }

        impl Key {
            /// Every setting, in the order of the default file.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The dotted name: in the file, in `--set`, in every message.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The environment variable.
            #[must_use]
            pub fn variable(self) -> &'static str {
                match self { $(Self::$variant => $variable,)* }
            }

            /// What it sets, in one phrase.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

keys! {
    Listen = "listen", "CODEX_BRIDGE_LISTEN": "the address to listen on";
    Socket = "socket", "CODEX_BRIDGE_SOCKET": "a Unix socket to listen on as well";
    StateDir = "state_dir", "CODEX_BRIDGE_STATE_DIR": "where the state lies";
    Token = "token", "CODEX_BRIDGE_TOKEN": "the token that callers of the advisor have to send";
    OrchestrateToken = "orchestrate_token", "CODEX_BRIDGE_ORCHESTRATE_TOKEN": "the token that callers of `/orchestrate` have to send";
    CodexBin = "codex.bin", "CODEX_BRIDGE_CODEX_BIN": "the Codex executable";
    CodexModel = "codex.model", "CODEX_BRIDGE_CODEX_MODEL": "the model";
    CodexBaseUrl = "codex.base_url", "CODEX_BRIDGE_CODEX_BASE_URL": "the base URL of a Responses API";
    CodexApiKeyEnv = "codex.api_key_env", "CODEX_BRIDGE_CODEX_API_KEY_ENV": "the name of the variable that holds an API key";
    CodexApiKeyFile = "codex.api_key_file", "CODEX_BRIDGE_CODEX_API_KEY_FILE": "the file that holds an API key";
    CodexAuthHome = "codex.auth_home", "CODEX_BRIDGE_CODEX_AUTH_HOME": "the Codex home whose sign-in is shared";
    CodexShell = "codex.shell", "CODEX_BRIDGE_CODEX_SHELL": "whether Codex may read a workspace";
    CodexWorkspaceRoots = "codex.workspace_roots", "CODEX_BRIDGE_CODEX_WORKSPACE_ROOTS": "the folders a workspace may lie in";
    CodexOrchestrateSandbox = "codex.orchestrate_sandbox", "CODEX_BRIDGE_CODEX_ORCHESTRATE_SANDBOX": "what the user's own Codex may do in a turn of `/orchestrate`";
    CodexAllowUnproven = "codex.allow_unproven", "CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN": "whether a Codex that failed the self-test is used";
    LimitsMaxRunning = "limits.max_running", "CODEX_BRIDGE_MAX_RUNNING": "Codex processes at once";
    LimitsMaxQueued = "limits.max_queued", "CODEX_BRIDGE_MAX_QUEUED": "requests that may wait";
    LimitsDeadlineMs = "limits.deadline_ms", "CODEX_BRIDGE_DEADLINE_MS": "deadline of a request that names none";
    LimitsDeadlineMaxMs = "limits.deadline_max_ms", "CODEX_BRIDGE_DEADLINE_MAX_MS": "longest deadline a request may ask for";
    LimitsTurnMs = "limits.turn_ms", "CODEX_BRIDGE_TURN_MS": "limit of a turn of `/orchestrate`";
    LimitsStallMs = "limits.stall_ms", "CODEX_BRIDGE_STALL_MS": "silence of the provider after which an attempt is stalled";
    LimitsDrainMs = "limits.drain_ms", "CODEX_BRIDGE_DRAIN_MS": "how long runs may finish after a stop";
    SessionTtl = "session.ttl", "CODEX_BRIDGE_SESSION_TTL": "how long a session may be continued";
    StoreRetention = "store.retention", "CODEX_BRIDGE_STORE_RETENTION": "how long runs are kept";
    StoreBodies = "store.bodies", "CODEX_BRIDGE_STORE_BODIES": "whether questions and answers are kept";
    LogFormat = "log.format", "CODEX_BRIDGE_LOG_FORMAT": "the form of the log";
    LogLevel = "log.level", "CODEX_BRIDGE_LOG_LEVEL": "the level or filter of the log";
}

impl Key {
    /// The setting of this dotted name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// Whether its value is never shown.
    #[must_use]
    pub fn is_secret(self) -> bool {
        matches!(self, Self::Token | Self::OrchestrateToken)
    }
}

/// The candidate nearest to a mistyped name, when one is near enough to be meant.
pub(super) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score >= NEAR)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}

/// Least Jaro-Winkler similarity of a suggestion; clap uses 0.7 for its own.
const NEAR: f64 = 0.8;
