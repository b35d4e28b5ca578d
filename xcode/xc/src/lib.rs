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
mod figures;
mod hints;
mod models;
mod print;
mod refused;
mod runtime;
mod system;
#[expect(dead_code, reason = "the interactive mode is built on it")]
mod terminal;
#[expect(dead_code, reason = "the interactive mode is built on it")]
mod view;

pub use cli::main;
