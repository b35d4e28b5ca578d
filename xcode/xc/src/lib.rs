//! `xc`, the program: command line, configuration, print mode, the terminal. What the agent does is in `agent`.
//!
//! It runs no tool past the agent, knows no provider's protocol, and does nothing at its start that the
//! command does not need.

mod aids;
mod chat;
mod cli;
mod compose;
mod config;
mod demo;
mod doctor;
mod exit;
mod fenced;
mod figures;
mod hints;
mod knowing;
mod ledger;
mod loaded;
mod models;
mod phrases;
mod print;
mod refused;
mod runtime;
mod sandbox;
mod system;
mod terminal;
mod view;
mod wizard;
mod words;

pub use cli::main;
