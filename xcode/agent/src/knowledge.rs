//! What is known of a project and of its user before the first prompt: layers, rules, facts; where it is kept, how it
//! grows and goes. All of it is files of this machine. What a folder brings is only loaded where its user agreed to it
//! (see `trust`).

pub(crate) mod fact;
mod init;
mod known;
pub(crate) mod language;
mod load;
mod memory;
mod refresh;
mod remembered;
pub(crate) mod rules;
pub(crate) mod saved;
mod scan;
mod source;
pub(crate) mod store;
mod topic;

pub use fact::{Category, Fact};
pub use init::{Fate, Found, Initialised, Made, init};
pub use known::{Knowledge, Layer, Loaded};
pub use language::Language;
pub use load::{Sources, load};
pub use refresh::{Refreshed, refresh};
pub use remembered::{Remembered, forget, remembered, reword};
pub use saved::{Now, SavedFacts, TakenBack};
