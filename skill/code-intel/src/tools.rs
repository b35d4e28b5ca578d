//! The questions that can be put, one file each: a typed request, a typed answer.

pub mod bug_locate;
pub mod graph_rag;
pub mod index_status;
pub mod search;
