//! The tools, one file each: a typed request, a typed answer.

mod breadth;
pub mod bug_locate;
pub mod call_chain;
pub mod complexity;
mod frame;
pub mod graph_rag;
pub mod hotspot;
pub mod impact;
pub mod index_status;
pub mod rankings;
pub mod scope;
pub mod search;
mod symbol;
