//! Finds, prepares and runs Codex, reads its output and classifies its end.
//!
//! A run of Codex uses these modules in order: [`locate`] and [`version`] find it,
//! [`home`], [`provider`] and [`models`] prepare its home, [`sign_in`] and [`sandbox`] check
//! whether it can work, [`invocation`] and [`environment`] build its command, [`event`],
//! [`turn`] and [`pulse`] read its output, `app_server` is the alternative to `codex exec`, [`classify`] classifies the
//! end, and [`Driver`] combines them to one attempt.
//!
//! Absent on purpose: HTTP, retries, advice, redaction. One attempt is one process; the caller decides about
//! another, based on [`Retry`].

pub mod locate;
pub mod version;

pub mod home;
pub mod models;
pub mod provider;

pub mod sandbox;
pub mod sign_in;

pub mod environment;
pub mod invocation;

pub mod event;
pub mod turn;

pub mod classify;

pub mod pulse;

mod app_server;
mod attempt;
mod driver;
mod listening;
mod narration;
mod plan;
mod probe;

pub use attempt::{
    Answer, Attempt, AttemptEnd, AttemptFailure, Installation, Progress, Retry, Written,
};
pub use driver::{Driver, Fallback, Way};
pub use invocation::{Conversation, SandboxMode};
pub use plan::PlanWindow;
pub use pulse::Sign;
pub use turn::Reach;
