//! Read-only questions about one repository, answered from an index on disk.
//!
//! The index lies in the user's cache folder and follows the tree by itself: each question first
//! looks for files that changed, were added or are gone. The crate never writes into the repository,
//! never talks to a network, never shows a sensitive path or its content, and never follows a path
//! out of the root. It starts no process itself.

pub mod answer;
pub mod complexity;
pub mod deadline;
pub mod git;
pub mod language;
pub mod root;
pub mod syntax;

pub use answer::{Answer, Item};
pub use deadline::Deadline;
pub use language::Language;
pub use root::{RepoRoot, RootError};
