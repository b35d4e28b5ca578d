//! The entries to the orchestrator: they take the user's prompt, and add the code that it
//! is about. [`inject`] is the command `context-inject`: Claude Code's prompt hook, and a filter for
//! Codex. [`auto`] is the command `codex-auto`: a conversation with Codex.
//!
//! An entry reads input and passes on output. It fails open: whatever happens to the orchestrator, there is a
//! report, and the prompt is sent. [`mod@enrich`] gets the report, [`orchestrator_process`] runs the orchestrator as
//! a process and validates its output. A hook does not start it if [`other_subject`] shows that
//! its report would be empty.
//!
//! Absent by design: tools. No tool runs here, and this crate does not depend on one that could run any: only
//! the orchestrator runs tools.

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
