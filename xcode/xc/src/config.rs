//! The configuration: flag, then environment, then `~/.xcode/config.json`, then the project's stricter
//! settings, then what the program has. All faults are reported together; a key is never repeated.
//!
//! Absent: which model is asked ([`crate::models`]), and a `.env` file.

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
