//! The files of the court on disk, of the crate [`ledger`](::ledger).

pub use ::ledger::store::*;
