//! Tables that map Codex's error texts to causes. The texts are those of codex 0.45 to 0.169; they are matched in lower
//! case, loosely, and the first matching rule applies.

use std::time::Duration;

use contract::failure::FailureCode;

use super::HINT_MAX;
use crate::attempt::Retry;
use crate::event::ErrorKind;

/// A cause: its code, the message for people, and whether another attempt makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagnosis {
    pub(super) code: FailureCode,
    pub(super) retry: Retry,
    pub(super) message: &'static str,
}

const fn diagnosis(code: FailureCode, retry: Retry, message: &'static str) -> Diagnosis {
    Diagnosis { code, retry, message }
}

/// Delay before a rate-limited request is repeated, if the provider gives none.
const PAUSE: Retry = Retry::After(Duration::from_secs(5));

/// Delay for a resource on this machine to become free.
const LOCAL_PAUSE: Retry = Retry::After(Duration::from_secs(2));

macro_rules! diagnoses {
    ($($(#[$doc:meta])* $name:ident = $code:ident, $retry:expr, $message:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: Diagnosis =
            diagnosis(FailureCode::$code, $retry, $message);)*
    };
}

diagnoses! {
    CODEX_MISSING = CodexNotFound, Retry::Never,
        "The Codex executable is gone; reinstall it with `npm install -g @openai/codex`, or set codex.bin, and restart the bridge";
    CODEX_NOT_EXECUTABLE = CodexNotFound, Retry::Never,
        "The Codex executable cannot be executed; check its permissions, or set codex.bin";
    NO_RESOURCES = SpawnFailed, LOCAL_PAUSE,
        "This machine has no processes, memory or file descriptors left for Codex; lower limits.max_running or raise the limits of the service";
    GUARD = SpawnFailed, Retry::Never,
        "The run guard, without which no Codex is started, does not work; run `codex-bridge doctor`";
    GUARD_LOST = Crashed, Retry::Now,
        "The run guard was killed, and Codex with it; ask again";
    CANCELLED = Cancelled, Retry::Never, "The run was cancelled";
    DEADLINE = Timeout, Retry::Never,
        "Codex did not finish before the deadline; ask again with a longer timeout_ms, or ask for less";
    STALLED = Stalled, Retry::Now,
        "The provider said nothing for limits.stall_ms; ask again, or raise limits.stall_ms if it needs longer before it begins to answer";
    PROVIDER_SILENT = Stalled, Retry::Now,
        "The provider sent no event for limits.stall_ms in the middle of its answer; ask again, or raise limits.stall_ms: a provider that sends only comments while a model thinks needs as long as the model thinks";
    OUTPUT_LIMIT = OutputLimit, Retry::Never,
        "Codex printed more than a run may; ask for less";
    CRASHED = Crashed, Retry::Now,
        "Codex ended in the middle of its turn; ask again, and run `codex-bridge doctor` if it happens again";
    COMMAND_LINE = CodexIncompatible, Retry::Never,
        "Codex refuses the bridge's command line; install a supported version with `npm install -g @openai/codex`";
    APP_SERVER = CodexIncompatible, Retry::Never,
        "This Codex's app-server does not do what the bridge needs; set codex.driver to `exec` or `auto`, or install a tested version with `npm install -g @openai/codex`";
    MISCONFIGURED = CodexMisconfigured, Retry::Never,
        "Codex refuses its configuration; run `codex-bridge doctor`, and check codex.model and codex.base_url";
    HOME = CodexHomeUnusable, Retry::Never,
        "Codex cannot use its private home; check that the folder codex-home in the state folder is writable and its disk is not full";
    WORKDIR = Internal, Retry::Never,
        "The folder Codex was to work in is gone; ask again";
    SCHEMA = Internal, Retry::Never,
        "The schema of the answer was refused; the model or its provider may not support strict schemas: choose another with codex.model";
    PROMPT = Internal, Retry::Never,
        "Codex got no readable prompt; this is a fault of the bridge";
    TOO_LARGE = BodyTooLarge, Retry::Never,
        "Codex takes at most 1,048,576 characters; shorten the context";
    /// Another process still uses the thread. The bridge runs one turn per session, so it is
    /// a leftover of an earlier daemon, which the bridge ends when it finds it.
    THREAD_BUSY = SessionBusy, LOCAL_PAUSE,
        "Another Codex process still holds this session's thread; ask again in a moment";
    THREAD_LOST = SessionLost, Retry::Never,
        "Codex no longer has the thread of the first round; open a new session";
    OTHER_THREAD = SessionLost, Retry::Never,
        "Codex answered in another thread than the one of the first round; open a new session";
    NOT_SIGNED_IN = Auth, Retry::Never,
        "Codex is not signed in, or its sign-in was refused: run `codex login` as the user the bridge runs as, or name a variable with an API key in codex.api_key_env";
    KEY_MISSING = Auth, Retry::Never,
        "The variable named by codex.api_key_env is not set for the bridge; set it and restart";
    FORBIDDEN = Auth, Retry::Never,
        "The provider refuses this account; check its access, its region and the model";
    QUOTA = Quota, Retry::Never,
        "The account's usage limit or quota is used up; wait until it is renewed, or use another account";
    RATE_LIMITED = RateLimited, PAUSE,
        "The provider gets too many requests from this account; ask again in a moment";
    CONTEXT = ContextLength, Retry::Never,
        "The question and its thread do not fit the model; shorten the context, or open a new session";
    NO_SUCH_MODEL = ModelUnavailable, Retry::Never,
        "The model does not exist or is not open to this account; choose another with options.model or codex.model";
    AT_CAPACITY = ModelUnavailable, PAUSE,
        "The model is at capacity; ask again in a moment, or choose another with options.model";
    REQUEST_TIMED_OUT = Timeout, Retry::Now,
        "The provider gave up waiting for the request; ask again in a moment";
    /// An error of Codex about itself, which none of our turns should cause.
    OWN_FAULT = Internal, Retry::Never,
        "Codex could not play the turn; this is a fault of the bridge or of Codex, see the summary";
    UPSTREAM = UpstreamError, Retry::Now,
        "The provider failed; ask again in a moment";
    NETWORK = Network, Retry::Now,
        "The provider could not be reached, or the connection broke; check the network, the proxy settings and codex.base_url";
    REQUEST_REFUSED = BadRequest, Retry::Never,
        "The provider refused the request; see the summary";
    POLICY = Refused, Retry::Never,
        "The provider's policy declined the question; rephrase it";
    CUT_SHORT = BadOutput, Retry::Never,
        "The model's answer was cut off at its token limit; ask for less";
    NO_ANSWER = BadOutput, Retry::Repair,
        "The model completed its turn without an answer; ask again, or rephrase";
}

/// What a rule looks for in a lower-case text.
enum Sign {
    Any(&'static [&'static str]),
    All(&'static [&'static str]),
    /// The HTTP status in Codex's text.
    Status(&'static [u16]),
}

use Sign::{All, Any, Status};

/// Rules for the message of `turn.failed`, and for the text in `Reconnecting... (..)`.
const TURN: &[(Sign, Diagnosis)] = &[
    (Any(&["missing environment variable"]), KEY_MISSING),
    (Any(&["input exceeds the maximum length", "input_too_large"]), TOO_LARGE),
    (Any(&["context window", "context_length_exceeded"]), CONTEXT),
    (Any(&["invalid_json_schema", "invalid schema for response_format"]), SCHEMA),
    (
        Any(&[
            "usage limit",
            "quota exceeded",
            "insufficient_quota",
            "check your plan and billing",
            "to use codex with your chatgpt plan",
        ]),
        QUOTA,
    ),
    // Match the status before words that a provider may use in any message.
    (Status(&[401]), NOT_SIGNED_IN),
    (Status(&[402]), QUOTA),
    (Status(&[403]), FORBIDDEN),
    (Status(&[408]), REQUEST_TIMED_OUT),
    (Status(&[413]), CONTEXT),
    (Status(&[429]), RATE_LIMITED),
    (Any(&["rate limit exceeded", "rate_limit_exceeded"]), RATE_LIMITED),
    (Any(&["at capacity"]), AT_CAPACITY),
    (All(&["model", "does not exist"]), NO_SUCH_MODEL),
    (Any(&["model_not_found"]), NO_SUCH_MODEL),
    (All(&["model", "not supported"]), NO_SUCH_MODEL),
    (
        Any(&[
            "refresh token",
            "sign in again",
            "log in again",
            "not logged in",
            // A ChatGPT sign-in without a usable workspace.
            "missing backend origin",
            "selected workspace missing",
        ]),
        NOT_SIGNED_IN,
    ),
    (Any(&["max_output_tokens"]), CUT_SHORT),
    (Any(&["content_filter", "invalid prompt", "flagged", "usage policy", "cyber_policy"]), POLICY),
    (Any(&["idle timeout"]), PROVIDER_SILENT),
    (Any(&["high demand"]), UPSTREAM),
    (Status(&[500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 529]), UPSTREAM),
    (
        Any(&[
            "connection failed",
            "connection refused",
            "connection reset",
            "dns error",
            "error decoding response body",
            "error sending request",
            "failed to lookup address",
            "routing discovery failed",
            "stream closed before",
            "transport error",
            "utf8 error",
            "waiting for network",
        ]),
        NETWORK,
    ),
    // `response.failed` with a code unknown to Codex; the text is the provider's.
    (Any(&["stream disconnected before completion"]), UPSTREAM),
];

/// Rules for Codex's stderr when it fails before a turn.
const START: &[(Sign, Diagnosis)] = &[
    (Any(&["already has an active writer"]), THREAD_BUSY),
    (Any(&["os error 24", "os error 11", "os error 12", "too many open files"]), NO_RESOURCES),
    (Any(&["input exceeds the maximum length"]), TOO_LARGE),
    (
        Any(&[
            "no rollout found",
            "session not found",
            "missing source rollout",
            "thread/resume failed",
            "thread/fork failed",
        ]),
        THREAD_LOST,
    ),
    (Any(&["output schema file"]), SCHEMA),
    (Any(&["no prompt provided", "failed to read prompt"]), PROMPT),
    (Any(&["error finding codex home", "failed to initialize in-process app-server client"]), HOME),
    (
        Any(&[
            "config.toml",
            "failed to load configuration",
            "-c overrides",
            "model_catalog_json",
            "unknown feature flag",
            "model provider",
            "required mcp servers",
        ]),
        MISCONFIGURED,
    ),
    (Any(&["not inside a trusted directory"]), WORKDIR),
    (Any(&["not logged in", "refresh token"]), NOT_SIGNED_IN),
    // Matched in full, because "No such file" alone ends many other messages.
    (Any(&["error: no such file or directory (os error 2)"]), WORKDIR),
];

/// The cause of a failed turn; `None` for an unknown text.
pub(super) fn of_turn(message: &str) -> Option<Diagnosis> {
    first(TURN, message)
}

/// The cause of a failed turn by the app-server's `codexErrorInfo`; `None` if that is `other` or unknown.
pub(super) fn of_kind(kind: &ErrorKind) -> Option<Diagnosis> {
    if let Some(status) = kind.status {
        return of_status(status);
    }
    Some(match kind.name.as_str() {
        "contextWindowExceeded" => CONTEXT,
        "usageLimitExceeded" | "sessionBudgetExceeded" => QUOTA,
        "rateLimitExceeded" => RATE_LIMITED,
        "serverOverloaded" | "flexUnavailable" | "policyCapacityUnavailable" => AT_CAPACITY,
        "modelNotFound" => NO_SUCH_MODEL,
        "cyberPolicy"
        | "misalignmentPolicyViolation"
        | "inferenceHookDenied"
        | "tooManyDenials" => POLICY,
        "unauthorized" => NOT_SIGNED_IN,
        "badRequest" => REQUEST_REFUSED,
        "internalServerError" => UPSTREAM,
        "httpConnectionFailed"
        | "responseStreamConnectionFailed"
        | "responseStreamDisconnected"
        | "responseTooManyFailedAttempts" => NETWORK,
        "sandboxError" | "threadRollbackFailed" | "activeTurnNotSteerable" => OWN_FAULT,
        _ => return None,
    })
}

/// The cause by the HTTP status in `codexErrorInfo`.
fn of_status(status: u16) -> Option<Diagnosis> {
    Some(match status {
        401 => NOT_SIGNED_IN,
        402 => QUOTA,
        403 => FORBIDDEN,
        408 => REQUEST_TIMED_OUT,
        413 => CONTEXT,
        429 => RATE_LIMITED,
        400..=499 => REQUEST_REFUSED,
        500..=599 => UPSTREAM,
        _ => return None,
    })
}

/// The cause of a failed start; `None` for an unknown text.
pub(super) fn of_start(stderr: &str) -> Option<Diagnosis> {
    first(START, stderr)
}

fn first(rules: &[(Sign, Diagnosis)], text: &str) -> Option<Diagnosis> {
    // Codex writes "You’ve" since 0.155 and "You've" before.
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let status = status(&text);
    let fits = |sign: &Sign| match sign {
        Any(words) => words.iter().any(|word| text.contains(word)),
        All(words) => words.iter().all(|word| text.contains(word)),
        Status(codes) => status.is_some_and(|status| codes.contains(&status)),
    };
    rules.iter().find(|(sign, _)| fits(sign)).map(|(_, diagnosis)| *diagnosis)
}

/// The HTTP status in `unexpected status 401 ..` or `last status: 429 ..`.
fn status(text: &str) -> Option<u16> {
    ["unexpected status ", "last status: "].iter().find_map(|before| {
        let (_, after) = text.split_once(before)?;
        after.get(..3)?.parse().ok()
    })
}

/// The delay in "Please try again in 2.5s" or "in 320ms", at most [`HINT_MAX`].
pub(super) fn hinted_delay(text: &str) -> Option<Duration> {
    let (_, after) = text.split_once("try again in ")?;
    let number_end = after.find(|it: char| !it.is_ascii_digit() && it != '.')?;
    let (number, unit) = after.split_at(number_end);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim_start();
    let seconds = if unit.starts_with("ms") {
        number / 1000.0
    } else if unit.starts_with('m') {
        number * 60.0
    } else if unit.starts_with('s') {
        number
    } else {
        return None;
    };
    Some(Duration::try_from_secs_f64(seconds).map_or(HINT_MAX, |delay| delay.min(HINT_MAX)))
}
