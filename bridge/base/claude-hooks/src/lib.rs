//! Claude Code's hook protocol, as measured with the client 2.1.197.
//!
//! [`call`] parses a hook's standard input. [`answer`] writes the answers that the client obeys,
//! and only these: the client ignores an answer with one wrong key, and then acts as
//! without the hook. [`prompt`] distinguishes typed prompts from the client's own.
//! [`transcript`] reads a session's transcript from its end. [`client`] has the version of the client that all this was
//! tested with, and compares another with it. [`settings`] changes the client's settings. [`project_env`] removes from an
//! environment what a project's settings have set there.
//!
//! By design there is no answer `allow`: it would disable the user's own permission rules. A hook without an
//! objection prints nothing.
//!
//! This crate starts no process except the client for its version, makes no decisions and knows neither
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
