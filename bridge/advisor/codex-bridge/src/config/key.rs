//! The list of settings and environment variables of the daemon. Each setting is one entry: name, environment variable,
//! flag, description, accepted values, default and notes. The default file of the daemon, `codex-bridge config` and the
//! reference are generated from this list.

use contract::limits::{TIMEOUT_MAX_MS, TIMEOUT_MIN_MS, TURN_TIMEOUT_MAX_MS};

/// Type and accepted values of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An IP address and a port.
    Address,
    /// A path; `~/` is the home folder.
    Path,
    /// A list of folders.
    Folders,
    Text,
    /// A token, which is never shown.
    Token,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A whole number of milliseconds from the first to the second.
    Milliseconds(u64, u64),
    /// A duration with its unit.
    Duration,
    /// A list of prices.
    Prices,
}

/// Default of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// This value, in the syntax of the file.
    Value(&'static str),
    /// No fixed value.
    Found {
        /// Description of the value used instead.
        instead: &'static str,
        /// An example value, in the syntax of the file.
        example: &'static str,
    },
}

macro_rules! settings {
    ($($variant:ident {
        name: $name:literal,
        variable: $variable:literal,
        $(flag: $flag:expr,)?
        what: $what:literal,
        form: $form:expr,
        default: $default:expr,
        more: $more:literal,
    })*) => {
        /// A setting. The set is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $(#[doc = $what] $variant,)*
        }

        impl Key {
            /// The list of all settings of the daemon, in the order of the default file.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The dotted name, used in the file, in `--set` and in messages.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The environment variable of the setting.
            #[must_use]
            pub fn variable(self) -> &'static str {
                match self { $(Self::$variant => $variable,)* }
            }

            /// Its own flag, if it has one, and the placeholder for the value in its help.
            #[must_use]
            pub fn flag(self) -> Option<(&'static str, &'static str)> {
                let flag: &[_] = match self { $(Self::$variant => &[$($flag)?],)* };
                flag.first().copied()
            }

            /// Description in one phrase.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }

            /// Type and accepted values.
            #[must_use]
            pub fn form(self) -> Form {
                match self { $(Self::$variant => $form,)* }
            }

            /// The default.
            #[must_use]
            pub fn default(self) -> Default {
                match self { $(Self::$variant => $default,)* }
            }

            /// Further notes in sentences; may be empty.
            #[must_use]
            pub fn more(self) -> &'static str {
                match self { $(Self::$variant => $more,)* }
            }
        }
    };
}

settings! {
    Listen {
        name: "listen",
        variable: "CODEX_BRIDGE_LISTEN",
        flag: ("listen", "IP:PORT"),
        what: "the address to listen on",
        form: Form::Address,
        default: Default::Value(r#""127.0.0.1:4517""#),
        more: "Only loopback is accepted, unless `--allow-remote` is given. Port 0 takes a free port; the address in use is written to `<state_dir>/address`.",
    }
    Socket {
        name: "socket",
        variable: "CODEX_BRIDGE_SOCKET",
        flag: ("socket", "PATH"),
        what: "a Unix socket to listen on as well",
        form: Form::Path,
        default: Default::Found { instead: "none", example: r#""/run/user/1000/codex-bridge.sock""# },
        more: "Only your own user may connect.",
    }
    StateDir {
        name: "state_dir",
        variable: "CODEX_BRIDGE_STATE_DIR",
        flag: ("state-dir", "FOLDER"),
        what: "where the store, the tokens and the private Codex home lie",
        form: Form::Path,
        default: Default::Found {
            instead: "`$STATE_DIRECTORY` (systemd), else `$XDG_STATE_HOME/codex-bridge`, else `~/.local/state/codex-bridge`",
            example: r#""~/.local/state/codex-bridge""#,
        },
        more: "Keep it out of the temp folder.",
    }
    Token {
        name: "token",
        variable: "CODEX_BRIDGE_TOKEN",
        what: "the token that callers of the advisor have to send",
        form: Form::Token,
        default: Default::Found {
            instead: "systemd's credential `codex-bridge.token`, where there is one; else made at the first start, and kept in `<state_dir>/token`",
            example: r#""""#,
        },
        more: "32 to 512 letters, digits and signs of `-._~+/=`. A file that sets it must be readable by you alone.",
    }
    OrchestrateToken {
        name: "orchestrate_token",
        variable: "CODEX_BRIDGE_ORCHESTRATE_TOKEN",
        what: "the token that callers of `/orchestrate` have to send",
        form: Form::Token,
        default: Default::Found {
            instead: "systemd's credential `codex-bridge.orchestrate-token`, where there is one; else made at the first start, and kept in `<state_dir>/token-orchestrate`",
            example: r#""""#,
        },
        more: "It plays turns of your own Codex. It is good for every other route as well, and must not be the advisor's.",
    }
    CodexBin {
        name: "codex.bin",
        variable: "CODEX_BRIDGE_CODEX_BIN",
        flag: ("codex-bin", "PATH"),
        what: "the Codex executable",
        form: Form::Path,
        default: Default::Found {
            instead: "`codex` on `PATH`, resolved to its native binary",
            example: r#""/usr/local/bin/codex""#,
        },
        more: "",
    }
    CodexModel {
        name: "codex.model",
        variable: "CODEX_BRIDGE_CODEX_MODEL",
        flag: ("codex-model", "NAME"),
        what: "the model",
        form: Form::Text,
        default: Default::Found {
            instead: "that of your Codex configuration, else Codex's own",
            example: r#""gpt-5.5""#,
        },
        more: "",
    }
    CodexBaseUrl {
        name: "codex.base_url",
        variable: "CODEX_BRIDGE_CODEX_BASE_URL",
        flag: ("codex-base-url", "URL"),
        what: "the base URL of a Responses API",
        form: Form::Text,
        default: Default::Found {
            instead: "the provider of your Codex configuration, else OpenAI's",
            example: r#""https://api.example.com/v1""#,
        },
        more: "",
    }
    CodexApiKeyEnv {
        name: "codex.api_key_env",
        variable: "CODEX_BRIDGE_CODEX_API_KEY_ENV",
        what: "the name of the environment variable that holds an API key",
        form: Form::Text,
        default: Default::Found {
            instead: "your Codex sign-in is used",
            example: r#""OPENAI_API_KEY""#,
        },
        more: "",
    }
    CodexApiKeyFile {
        name: "codex.api_key_file",
        variable: "CODEX_BRIDGE_CODEX_API_KEY_FILE",
        what: "a file that holds an API key, readable by you alone",
        form: Form::Path,
        default: Default::Found {
            instead: "systemd's credential `codex-bridge.api-key`, where there is one",
            example: r#""~/.config/codex-bridge/api-key""#,
        },
        more: "Instead of `codex.api_key_env`.",
    }
    CodexAuthHome {
        name: "codex.auth_home",
        variable: "CODEX_BRIDGE_CODEX_AUTH_HOME",
        what: "the Codex home whose sign-in is shared",
        form: Form::Path,
        default: Default::Found { instead: "`$CODEX_HOME`, else `~/.codex`", example: r#""~/.codex""# },
        more: "Its `auth.json` is linked, never copied.",
    }
    CodexShell {
        name: "codex.shell",
        variable: "CODEX_BRIDGE_CODEX_SHELL",
        what: "whether Codex may read a workspace",
        form: Form::Choice(&["off", "read-only"]),
        default: Default::Value(r#""off""#),
        more: "With \"off\" Codex has no shell; it thinks and executes nothing. With \"read-only\" it may read the `workspace` of a request through its own sandboxed shell. This protects your files from change, not from being read.",
    }
    CodexWorkspaceRoots {
        name: "codex.workspace_roots",
        variable: "CODEX_BRIDGE_CODEX_WORKSPACE_ROOTS",
        what: "the folders a `workspace` may lie in",
        form: Form::Folders,
        default: Default::Value("[]"),
        more: "Needed, and only used, with `codex.shell` = \"read-only\".",
    }
    CodexOrchestrateSandbox {
        name: "codex.orchestrate_sandbox",
        variable: "CODEX_BRIDGE_CODEX_ORCHESTRATE_SANDBOX",
        what: "what your own Codex may do in a turn of `POST /orchestrate` (codex-auto)",
        form: Form::Choice(&["read-only", "workspace-write"]),
        default: Default::Value(r#""read-only""#),
        more: "With \"workspace-write\" it may also change files below the `workspace` of the request.",
    }
    CodexAllowUnproven {
        name: "codex.allow_unproven",
        variable: "CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN",
        what: "whether a Codex that failed the self-test is used for advice all the same",
        form: Form::Switch,
        default: Default::Value("false"),
        more: "Every answer then says so. The self-test plays two rounds with a scripted model on this machine, once for each executable: it finds a Codex that offers tools to the advisor, loses the thread, or does not know our settings.",
    }
    CodexDriver {
        name: "codex.driver",
        variable: "CODEX_BRIDGE_CODEX_DRIVER",
        what: "how Codex is driven for advice",
        form: Form::Choice(&["exec", "app-server", "auto"]),
        default: Default::Value(r#""exec""#),
        more: "With \"app-server\", which Codex marks as experimental, one sees what a model does as it does it, and a failed question is not repeated to it. With \"auto\" that is used where Codex is 0.155 or newer and its app-server answers as expected, else \"exec\". `POST /orchestrate` always uses \"exec\".",
    }
    CodexReasoningSummary {
        name: "codex.reasoning_summary",
        variable: "CODEX_BRIDGE_CODEX_REASONING_SUMMARY",
        what: "whether the model is asked for a summary of its reasoning",
        form: Form::Choice(&["auto", "off"]),
        default: Default::Value(r#""auto""#),
        more: "Without one a model thinks in silence. Switch it off for a provider that refuses the request.",
    }
    LimitsMaxRunning {
        name: "limits.max_running",
        variable: "CODEX_BRIDGE_MAX_RUNNING",
        flag: ("max-running", "COUNT"),
        what: "Codex processes at once",
        form: Form::Whole(1, 64),
        default: Default::Value("2"),
        more: "Each takes about 150 MB.",
    }
    LimitsMaxQueued {
        name: "limits.max_queued",
        variable: "CODEX_BRIDGE_MAX_QUEUED",
        flag: ("max-queued", "COUNT"),
        what: "requests that may wait for a free process",
        form: Form::Whole(0, 10_000),
        default: Default::Value("32"),
        more: "More are refused with `overloaded`.",
    }
    LimitsDeadlineMs {
        name: "limits.deadline_ms",
        variable: "CODEX_BRIDGE_DEADLINE_MS",
        what: "deadline of a request that names none",
        form: Form::Milliseconds(TIMEOUT_MIN_MS, TIMEOUT_MAX_MS),
        default: Default::Value("300000"),
        more: "It covers queue, retry and clean-up.",
    }
    LimitsDeadlineMaxMs {
        name: "limits.deadline_max_ms",
        variable: "CODEX_BRIDGE_DEADLINE_MAX_MS",
        what: "longest deadline a request may ask for",
        form: Form::Milliseconds(TIMEOUT_MIN_MS, TIMEOUT_MAX_MS),
        default: Default::Value("590000"),
        more: "The most is below the 600 s that Claude Code gives a command.",
    }
    LimitsTurnMs {
        name: "limits.turn_ms",
        variable: "CODEX_BRIDGE_TURN_MS",
        what: "deadline of a turn of `POST /orchestrate` (codex-auto) that names none, and the longest it may ask for",
        form: Form::Milliseconds(TIMEOUT_MIN_MS, TURN_TIMEOUT_MAX_MS),
        default: Default::Value("3600000"),
        more: "Your own Codex may run tests and builds in it.",
    }
    LimitsStallMs {
        name: "limits.stall_ms",
        variable: "CODEX_BRIDGE_STALL_MS",
        what: "silence of the model's provider after which an attempt counts as stalled",
        form: Form::Milliseconds(1_000, 3_600_000),
        default: Default::Value("300000"),
        more: "That Codex prints nothing while a model thinks is no silence: each event of the provider's stream counts, also a keep-alive. Raise it for a provider that sends no event while a model thinks.",
    }
    LimitsDrainMs {
        name: "limits.drain_ms",
        variable: "CODEX_BRIDGE_DRAIN_MS",
        what: "how long runs in flight may finish after a stop was asked for",
        form: Form::Milliseconds(0, 600_000),
        default: Default::Value("8000"),
        more: "Keep it below the supervisor's own limit: pm2's kill_timeout, systemd's TimeoutStopSec.",
    }
    SessionTtl {
        name: "session.ttl",
        variable: "CODEX_BRIDGE_SESSION_TTL",
        what: "how long a session may be continued after it was opened",
        form: Form::Duration,
        default: Default::Value(r#""24h""#),
        more: "",
    }
    StoreRetention {
        name: "store.retention",
        variable: "CODEX_BRIDGE_STORE_RETENTION",
        what: "how long runs and sessions are kept",
        form: Form::Duration,
        default: Default::Value(r#""30 days""#),
        more: "",
    }
    StoreBodies {
        name: "store.bodies",
        variable: "CODEX_BRIDGE_STORE_BODIES",
        what: "whether questions and answers are kept (with secrets masked), or only the facts about them",
        form: Form::Switch,
        default: Default::Value("true"),
        more: "",
    }
    WindowEnabled {
        name: "window.enabled",
        variable: "CODEX_BRIDGE_WINDOW",
        what: "whether the daemon serves its pages, which `codex-bridge open` opens in a browser",
        form: Form::Switch,
        default: Default::Value("true"),
        more: "",
    }
    WindowSessionHours {
        name: "window.session_hours",
        variable: "CODEX_BRIDGE_WINDOW_SESSION_HOURS",
        what: "hours after which a browser has to sign in again",
        form: Form::Whole(1, 168),
        default: Default::Value("12"),
        more: "Two hours without a request, and the daemon's end, end its session as well.",
    }
    WindowPrice {
        name: "window.price",
        variable: "CODEX_BRIDGE_WINDOW_PRICE",
        what: "what a million tokens of each model cost, for the page of usage",
        form: Form::Prices,
        default: Default::Value("[]"),
        more: "In the file each price is a table: `[[window.price]]` with `model`, `input`, `cached`, `output` and `currency`. Elsewhere it is MODEL:INPUT:CACHED:OUTPUT:CURRENCY, and a comma separates two. No price is built in.",
    }
    LogFormat {
        name: "log.format",
        variable: "CODEX_BRIDGE_LOG_FORMAT",
        flag: ("log-format", "FORM"),
        what: "the form of the log, which goes to standard error",
        form: Form::Choice(&["auto", "json", "pretty"]),
        default: Default::Value(r#""auto""#),
        more: "With \"auto\" it is pretty on a terminal, JSON elsewhere.",
    }
    LogLevel {
        name: "log.level",
        variable: "CODEX_BRIDGE_LOG_LEVEL",
        flag: ("log-level", "LEVEL"),
        what: "the level of the log (error, warn, info, debug, trace), or a filter such as \"info,codex_bridge::http=debug\"",
        form: Form::Text,
        default: Default::Value(r#""info""#),
        more: "",
    }
}

impl Key {
    /// The setting with this dotted name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// Whether its value is never shown.
    #[must_use]
    pub fn is_secret(self) -> bool {
        self.form() == Form::Token
    }

    /// Its section in the file, and its name within the section.
    #[must_use]
    pub fn place(self) -> (Option<&'static str>, &'static str) {
        match self.name().split_once('.') {
            Some((section, name)) => (Some(section), name),
            None => (None, self.name()),
        }
    }

    /// The minimum and maximum of its number.
    pub(super) fn bounds(self) -> (u64, u64) {
        match self.form() {
            Form::Whole(least, most) | Form::Milliseconds(least, most) => (least, most),
            _ => (0, u64::MAX),
        }
    }

    /// The accepted words of a [`Form::Choice`].
    pub(super) fn words(self) -> &'static [&'static str] {
        match self.form() {
            Form::Choice(words) => words,
            _ => &[],
        }
    }
}

/// The candidate most similar to a mistyped name, if it is similar enough for a suggestion.
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

/// Minimum Jaro-Winkler similarity of a suggestion; clap uses 0.7 for its own.
const NEAR: f64 = 0.8;
