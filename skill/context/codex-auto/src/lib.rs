//! The entries to the orchestrator: what a person types goes in, and comes out with the code that it
//! is about. [`inject`] is the command `context-inject`: Claude Code's prompt hook, and a filter for
//! Codex. [`auto`] is the command `codex-auto`: a conversation with Codex.
//!
//! An entry collects input and hands on output. It fails open: whatever happens to the orchestrator, there is a
//! report, and the prompt goes through. [`mod@enrich`] asks the orchestrator, [`orchestrator_process`] starts it as
//! a process of its own and reads what it says with suspicion. A hook leaves it unasked where [`other_subject`] knows that
//! it would say nothing.
//!
//! Absent by design: tools. No tool runs here, and this crate has no edge to one that could: the only
//! place where tools run is the orchestrator.

pub mod auto;
pub mod control;
pub mod enrich;
pub mod inject;
pub mod kept;
pub mod orchestrator_process;
pub mod other_subject;
pub mod question;
pub mod report;
pub mod shown;
