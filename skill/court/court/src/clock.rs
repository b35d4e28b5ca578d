//! Times as the files of the crate `ledger` have them.

pub use ::ledger::clock::*;
