//! Answers read-only questions about one repository from an index on disk.
//!
//! The index is in the user's cache folder and updates itself: each question first
//! looks for changed, added and removed files. The crate never writes into the repository,
//! never uses a network, never shows a sensitive path or its content, and never follows a path
//! out of the root. It starts no process except git and, after an answer, the `ci` beside it.

pub mod answer;
pub mod cache;
pub mod call;
pub mod catalog;
mod cli;
pub mod complexity;
pub mod context;
pub mod deadline;
pub mod engine;
pub mod git;
pub mod graph;
mod index;
pub mod language;
pub mod mcp;
pub mod outline;
mod own_words;
mod past;
pub mod paths;
pub mod progress;
mod rank;
pub mod root;
mod snippet;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod tools;
pub mod view;

pub use answer::{Answer, Item};
pub use cli::main;
pub use deadline::Deadline;
pub use engine::{Engine, EngineError};
pub use graph::Graph;
pub use language::Language;
pub use past::follow::{FollowError, Followed};
pub use root::{RepoRoot, RootError};
pub use view::View;
