//! The `codex-advisor` command from outside: real processes, real signals, and one definite document
//! on standard output whatever happens.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "codex_advisor/asking.rs"]
mod asking;
#[path = "codex_advisor/faults.rs"]
mod faults;
#[path = "codex_advisor/fixture.rs"]
mod fixture;
#[path = "codex_advisor/lasting.rs"]
mod lasting;
#[path = "codex_advisor/neighbour.rs"]
mod neighbour;
#[path = "codex_advisor/projects.rs"]
mod projects;
#[path = "codex_advisor/questions.rs"]
mod questions;
#[path = "codex_advisor/real_codex.rs"]
mod real_codex;
#[path = "codex_advisor/spent.rs"]
mod spent;
#[path = "codex_advisor/starting.rs"]
mod starting;
#[path = "codex_advisor/status.rs"]
mod status;
#[path = "codex_advisor/unreachable.rs"]
mod unreachable;
