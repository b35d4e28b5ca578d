//! Sign-in and content of the web pages, without HTTP.
//!
//! The crate `window` renders the pages. Browser sessions are never written to disk.

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
