//! What a tool call of a coding agent would do, and its level. A call is judged by its effects, not by
//! the name of its tool: shell commands are parsed, expanded and followed through wrappers, pipes and
//! payloads; what cannot be understood is L2, never silence.
//!
//! Pure: no I/O, no process, no clock, no host. What only a host knows comes in as [`Context`].

mod action;
mod allow;
mod call;
mod commands;
mod context;
mod escape;
mod field;
mod judge;
mod judgement;
mod level;
mod limits;
mod lookups;
mod path;
mod pattern;
mod rules;
mod shell;
mod syntax;
mod tools;

pub use action::{Action, Effect};
pub use allow::{Pattern, PatternFault, allowed_by, plain_line};
pub use call::ToolCall;
pub use context::{Context, Disk, Entry, Identity, NoDisk, Written};
pub use judge::{judge, judge_action};
pub use judgement::{Extent, Finding, Judgement, Outcome, Policy, Seen, Source, Target};
pub use level::Level;
pub use limits::{BYTES_MAX, DEPTH_MAX, LOOKUPS_MAX, Limit, NODES_MAX, STEPS_MAX, VALUES_MAX};
pub use rules::{Rule, rule_ids};
