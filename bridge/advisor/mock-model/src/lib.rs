//! A scripted Responses API on loopback, for demos and tests. The real Codex talks to it as it
//! would to a provider; no model is asked, and the answers say so.
//!
//! It knows what a provider sends (one `POST /v1/responses`, answered by server-sent events) and
//! what a question to the advisor looks like. It knows nothing of our other crates: what it sends
//! is judged by them as a stranger's answer would be.

pub mod advice;
pub mod cli;
pub mod question;
pub mod record;
pub mod script;
mod server;
mod wire;

pub use cli::main;
pub use record::Recorded;
pub use script::{Beat, Hang, Reply, Script};
pub use server::MockModel;
pub use wire::{MODEL, USAGE, Usage};
