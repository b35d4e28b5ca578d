//! The plugin in the real Claude Code client: a scripted model, everything else as a user has it.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "claude_code/advice.rs"]
mod advice;
#[path = "claude_code/context.rs"]
mod context;
#[path = "claude_code/fixture.rs"]
mod fixture;
#[path = "claude_code/guidance.rs"]
mod guidance;
#[path = "claude_code/installation.rs"]
mod installation;
#[path = "claude_code/rounds.rs"]
mod rounds;
#[path = "claude_code/rules.rs"]
mod rules;
#[path = "claude_code/scripted_model.rs"]
mod scripted_model;
