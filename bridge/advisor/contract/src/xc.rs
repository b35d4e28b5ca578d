//! Output and files of `xc`: the events of a run, its result, the lines of a session's journal, and
//! its summary.
//!
//! Parsers ignore unknown fields, because new optional
//! fields may be added.

mod event;
mod journal;
mod part;
mod result;
mod summary;

pub use event::{DecidedBy, Event, PlanState, Sandboxed, Stream, TestsRun, Verdict, What};
pub use journal::{Call, Entry, Header, Line};
pub use part::{
    CallLevel, CallStatus, CommandRun, DeniedCall, EndReason, FailureClass, PermitMode, TokenUsage,
};
pub use result::{End, RESULT_FORMAT, RunResult};
pub use summary::{SessionStatus, SessionSummary};

#[cfg(test)]
mod tests;
