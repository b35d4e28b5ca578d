//! Checks the structure of the repository: dependencies between crates, the form of source files, the
//! documents. Rules that the compiler or clippy can check are not repeated here.
#![expect(clippy::unwrap_used, reason = "tests")]

mod complexity;
mod documents;
mod edges;
mod entry;
mod lock;
mod modules;
mod newcomer;
mod readme;
mod reference;
mod schemas;
mod snapshots;
mod speed;
mod tidy;
mod tree;
mod used;
