//! The court: governance hooks for Claude Code. A ledger of risks, decisions and tasks, a graded
//! gate before each tool call, fact packets, measured sub-agents, a manifest of phases, and a
//! historian that reviews.
//!
//! One command, `court hook`, serves every event: it reads one call, writes one JSON object or
//! nothing, and ends within its deadline whatever happens. The other commands are for people.
//!
//! It never answers `allow`, never rewrites the client's settings, and needs no daemon, network or
//! model. The crate `gate` judges what a tool call would do; records, their files and their paths are in
//! the crate `ledger`.

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
