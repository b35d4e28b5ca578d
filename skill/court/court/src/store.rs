//! The files of the court on disk, of the crate `ledger`.

pub use ::ledger::store::*;
