//! Claude Code's hook protocol, as the client 2.1.197 really speaks it.
//!
//! [`call`] reads what a hook gets on its standard input. [`answer`] writes what the client acts
//! on, and only that: the client ignores an answer that is wrong in one key, and then does what it
//! would have done without the hook. [`prompt`] tells typed prompts from the client's own.
//! [`transcript`] reads a session's record from its end. [`client`] says which client all this was
//! proven with, and compares another with it. [`settings`] changes the client's settings. [`project_env`] takes out of an
//! environment what a project's settings put there.
//!
//! There is no way to say `allow` here: it would switch off the user's own permission rules. No
//! objection is silence.
//!
//! This crate starts no process but the client for its version, decides nothing and knows neither
//! ledger nor tools.

pub mod answer;
pub mod call;
pub mod client;
pub mod event;
pub mod project_env;
pub mod prompt;
pub mod settings;
pub mod transcript;

mod json;
mod wire;

pub use answer::{Answer, Context};
pub use call::{Call, Unreadable};
pub use event::Event;
