//! The types of the court's files: those of the crate `ledger`, and the court's reviews.

mod review;

pub use ::ledger::records::*;
pub use review::{Approval, Refusal, Request, Reviewer, Reviews, SeenFile, Signed, Spent};
