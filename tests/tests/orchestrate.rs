//! `POST /orchestrate` from outside: turns of the user's own Codex, over HTTP.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "orchestrate/faults.rs"]
mod faults;
#[path = "orchestrate/fixture.rs"]
mod fixture;
#[path = "orchestrate/real_codex.rs"]
mod real_codex;
