//! What the end-to-end tests share. It plays the user: it starts the real daemon, speaks HTTP to
//! it and looks at the machine afterwards. It knows the daemon's interface and nothing of its
//! inside.

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
