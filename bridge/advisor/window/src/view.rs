//! The content of each page as plain values, and the method `html` of each. Times are milliseconds since 1970 UTC,
//! durations milliseconds. An unknown value is `None`, and is shown as a dash, never as zero.

mod chart;
mod context;
mod guest;
mod health;
mod names;
mod now;
mod pages;
mod parts;
mod projects;
mod run;
mod runs;
mod session;
mod shell;
mod stage;
mod usage;

pub use context::{Context, Prompt};
pub use guest::{Enter, Left, Refusal, Refused};
pub use health::{Check, Health, Level};
pub use now::{Condition, LiveRun, Now, Progress, Queue};
pub use projects::Projects;
pub use run::{Asked, Ended, Facts, Moment, Run};
pub use runs::{Filter, Row, Runs};
pub use session::Session;
pub(crate) use stage::{note, stage};
pub use usage::{Amount, Day, Latency, PlanWindow, Spend, Stage, Usage};
