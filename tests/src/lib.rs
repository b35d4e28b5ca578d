//! Shared code of the end-to-end tests. It acts as a user: it starts the real daemon, sends HTTP requests to
//! it and examines the machine afterwards. It uses the daemon's interface only, and none of its
//! internals.

pub mod agent;
pub mod claude;
pub mod durations;
pub mod fuzz_api;
pub mod harness;
pub mod messages_api;
pub mod peers;
pub mod planted;
pub mod requirements;
pub mod soak;
pub mod xc;
