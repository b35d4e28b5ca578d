//! Times as the files of the crate [`ledger`](::ledger) have them.

pub use ::ledger::clock::*;
