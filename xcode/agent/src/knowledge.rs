//! Knowledge about a project and its user before the first prompt: layers, rules, facts; how it is stored, added to
//! and removed. All of it is in local files. The content of a folder is only loaded if its user agreed to it
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
