//! The numbers of the contract.

/// Largest request body, in bytes. Codex refuses a prompt of more than 1,048,576 characters
/// (codex 0.169, `input_too_large`); the rest is room for our own words.
pub const BODY_MAX_BYTES: usize = 768 * 1024;

/// Most JSON values in one text (lists, objects and what they hold). A question has some dozens;
/// the number bounds what a hostile body can cost in memory and in violations.
pub const VALUES_MAX: usize = 2_000;

/// Most violations that are listed one by one; one more says how many are left out.
pub const VIOLATIONS_MAX: usize = 100;

/// Longest JSON Pointer in a violation, in bytes; a longer one is cut to the nearest parent.
pub const POINTER_MAX_BYTES: usize = 1024;

/// Most clarifying questions in an answer (ADV-9).
pub const CLARIFYING_QUESTIONS_MAX: usize = 5;

/// Most of them in the final round (ADV-10): "few new questions" is less than half of [`CLARIFYING_QUESTIONS_MAX`].
pub const FINAL_QUESTIONS_MAX: usize = 2;

/// Rounds of a session (ADV-5).
pub const ROUNDS_MAX: u8 = 2;

/// Largest failure summary, in bytes.
pub const SUMMARY_MAX_BYTES: usize = 2 * 1024;

/// Shortest deadline a caller may ask for, in milliseconds: below it Codex cannot even start.
pub const TIMEOUT_MIN_MS: u64 = 1_000;

/// Longest deadline, in milliseconds: below the 600 s limit of Claude Code's Bash tool, so that
/// ours is the one to fire.
pub const TIMEOUT_MAX_MS: u64 = 590_000;

/// Longest wait for a run, in milliseconds: the longest deadline, and time for its end to be told.
pub const RUN_WAIT_MAX_MS: u64 = TIMEOUT_MAX_MS + 10_000;

/// Longest deadline of a turn of the user's own Codex, in milliseconds: a day. Such a turn runs
/// tests and builds, and the one who waits for it is a person at a terminal.
pub const TURN_TIMEOUT_MAX_MS: u64 = 86_400_000;
