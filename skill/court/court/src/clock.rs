//! Times as stored in the files of the crate `ledger`.

pub use ::ledger::clock::*;
