//! `codex-auto` as people and scripts use it: in a real terminal, with the real Codex and a scripted
//! provider, and with a bridge of its own.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "codex_auto/fixture.rs"]
mod fixture;
#[path = "codex_auto/lasting.rs"]
mod lasting;
#[path = "codex_auto/once.rs"]
mod once;
#[path = "codex_auto/real_codex.rs"]
mod real_codex;
#[path = "codex_auto/terminal.rs"]
mod terminal;
