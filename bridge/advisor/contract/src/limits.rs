//! The limits of the contract.

/// Maximum size of a request body, in bytes. Codex refuses a prompt of more than 1,048,576 characters
/// (codex 0.169, `input_too_large`); the difference is reserved for our own part of the prompt.
pub const BODY_MAX_BYTES: usize = 768 * 1024;

/// Maximum number of JSON values in one text (lists, objects and their members). A question has some dozens;
/// the limit bounds the memory and the number of violations that a hostile body can cause.
pub const VALUES_MAX: usize = 2_000;

/// Maximum number of listed violations; one more gives the number of omitted ones.
pub const VIOLATIONS_MAX: usize = 100;

/// Maximum length of a JSON Pointer in a violation, in bytes; a longer one is cut to the nearest parent.
pub const POINTER_MAX_BYTES: usize = 1024;

/// Maximum number of clarifying questions in an answer (ADV-9).
pub const CLARIFYING_QUESTIONS_MAX: usize = 5;

/// The same in the final round (ADV-10): "few new questions" is less than half of [`CLARIFYING_QUESTIONS_MAX`].
pub const FINAL_QUESTIONS_MAX: usize = 2;

/// Maximum number of rounds in a session (ADV-5).
pub const ROUNDS_MAX: u8 = 2;

/// Maximum size of a failure's summary, in bytes.
pub const SUMMARY_MAX_BYTES: usize = 2 * 1024;

/// Minimum timeout that a caller can set, in milliseconds: with less Codex cannot even start.
pub const TIMEOUT_MIN_MS: u64 = 1_000;

/// Maximum timeout, in milliseconds: below the 600 s limit of Claude Code's Bash tool, so that
/// ours fires first.
pub const TIMEOUT_MAX_MS: u64 = 590_000;

/// Maximum wait for a run, in milliseconds: the maximum timeout, and a reserve to deliver the outcome.
pub const RUN_WAIT_MAX_MS: u64 = TIMEOUT_MAX_MS + 10_000;

/// Maximum timeout of a turn of the user's own Codex, in milliseconds: a day. Such a turn may run
/// tests and builds, and a person at a terminal waits for it.
pub const TURN_TIMEOUT_MAX_MS: u64 = 86_400_000;
