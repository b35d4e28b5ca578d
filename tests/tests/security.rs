//! Security from outside: where a secret, a text or a right of Codex must never turn up.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "security/files.rs"]
mod files;
#[path = "security/fixture.rs"]
mod fixture;
#[path = "security/log.rs"]
mod log;
#[path = "security/neighbour.rs"]
mod neighbour;
#[path = "security/owner.rs"]
mod owner;
#[path = "security/process.rs"]
mod process;
#[path = "security/real_codex.rs"]
mod real_codex;
#[path = "security/sensitive_paths.rs"]
mod sensitive_paths;
#[path = "security/terminal.rs"]
mod terminal;
