//! The entry to the orchestrator: `context-inject` with stand-ins for the orchestrator that fail in every way,
//! with the real orchestrator, and with the real Claude Code.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "context_inject/client.rs"]
mod client;
#[path = "context_inject/failures.rs"]
mod failures;
#[path = "context_inject/fixture.rs"]
mod fixture;
#[path = "context_inject/input.rs"]
mod input;
#[path = "context_inject/other_subject.rs"]
mod other_subject;
#[path = "context_inject/project_settings.rs"]
mod project_settings;
#[path = "context_inject/scenarios.rs"]
mod scenarios;
