//! The program `xc`: command line, configuration, print mode, the terminal. The agent itself is in the crate `agent`.
//!
//! It runs no tool except through the agent, knows no provider's protocol, and does nothing at start-up that the
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
