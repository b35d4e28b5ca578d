//! The configuration, in order of precedence: flag, environment, `~/.xcode/config.json`, the project's stricter
//! settings, defaults. All faults are reported together; a key is never printed.
//!
//! Not here: the choice of the model ([`crate::models`]), and `.env` files.

mod aids;
mod fault;
mod fields;
mod file;
mod notify;
mod project;
mod provider;
mod sandbox;
mod settings;
mod show;
mod source;
mod web;
mod write;

pub(crate) use aids::AdvisorMode;
pub(crate) use fault::{Fault, nearest};
pub(crate) use provider::{KeyFrom, key_variables};
pub(crate) use sandbox::{SandboxMode, WhenSandboxed};
pub(crate) use settings::{Config, Places};
pub(crate) use show::{Shown, shown};
pub(crate) use source::{Source, Sourced};
pub(crate) use write::{FirstProvider, save_first, save_key};

#[cfg(test)]
mod tests;
