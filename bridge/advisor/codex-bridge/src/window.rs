//! The pages for people, apart from HTTP: who is signed in, and what each page tells.
//!
//! How a page looks is the crate `window`'s. No session of a browser is on the disk.

pub mod name;
pub mod sign_in;

mod row;

pub mod condition;
pub mod context;
pub mod court;
pub mod history;
pub mod live;
pub mod now;
pub mod one;
pub mod usage;
pub mod waits;
