//! `xc`, the program: command line, configuration, print mode. What the agent does is in `agent`.
//!
//! It runs no tool past the agent, knows no provider's protocol, and does nothing at its start that the
//! command does not need.

mod cli;
mod compose;
mod config;
mod demo;
mod doctor;
mod exit;
mod hints;
mod models;
mod print;
mod refused;
mod runtime;
mod system;

pub use cli::main;
