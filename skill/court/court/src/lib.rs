//! The court: governance hooks for Claude Code. A ledger of what must not be forgotten, a graded
//! gate before each tool call, fact packets, measured sub-agents, a manifest of phases, and a
//! historian who reviews.
//!
//! One command, `court hook`, serves every event: it reads one call, answers with one JSON object or
//! with silence, and ends within its deadline whatever happens. The other commands are for people.
//!
//! It never says `allow`, never rewrites the client's settings, and needs no daemon, network or
//! model. What a tool call would do is judged by the crate `gate`; records, their files and their places are
//! the crate `ledger`'s.

pub mod agents;
pub mod approver;
pub mod asker;
pub mod audit_log;
mod cli;
pub mod clock;
pub mod config;
pub mod environment;
pub mod event;
pub mod fence;
pub mod git;
pub mod guard;
pub mod historian;
pub mod hook;
pub mod ledger;
pub mod manifest;
pub mod node;
pub mod observe;
pub mod packet;
pub mod places;
pub mod projects;
pub mod records;
pub mod review;
pub mod session;
pub mod store;
pub mod transcript;

pub use cli::main;
