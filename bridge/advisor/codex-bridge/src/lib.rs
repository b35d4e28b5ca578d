//! The daemon: HTTP requests in, Codex runs out, and a durable record of both.
//!
//! A request passes `http` -> `contract` -> `store` (a round's lease) -> `admission` (a
//! permit) -> `advisor` -> `codex-driver` -> `supervise`, and back. No process is started here, no
//! status code is chosen outside `http::failure`, and no exit code outside `exit`.

pub mod admission;
pub mod advisor;
mod allocator;
pub mod app;
pub mod attached;
mod browser;
mod checks;
pub mod claude_settings;
mod cli;
pub mod codex;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod events;
pub mod exit;
pub mod http;
mod keeper;
pub mod logging;
pub mod mcp;
pub mod metrics;
pub mod proof;
pub mod request;
pub mod service;
pub mod session;
pub mod shutdown;
pub mod state_dir;
pub mod stop;
pub mod store;
pub mod supervisor;
pub mod token;
pub mod window;

pub use cli::main;
