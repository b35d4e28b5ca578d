//! How Codex is run: found, prepared, started, listened to, and its end understood.
//!
//! A run of Codex goes through these modules in order: [`locate`] and [`version`] find it,
//! [`home`], [`provider`] and [`models`] prepare its surroundings, [`sign_in`] and [`sandbox`] say
//! whether it could work, [`invocation`] and [`environment`] say how it is started, [`event`],
//! [`turn`] and [`pulse`] read what it prints, `app_server` is the other way to ask it, [`classify`] says what that means, and [`Driver`] does one
//! attempt with all of them.
//!
//! Absent on purpose: HTTP, retries, advice, redaction. One attempt is one process; whether there
//! is another is the caller's decision, made from [`Retry`].

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
