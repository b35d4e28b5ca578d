//! The seam between the orchestrator and whatever answers: the embedded engine, or another provider of the
//! same tools. The orchestrator knows names, tiers and bounds; a toolbox knows how to get an answer.

use std::time::Instant;

use code_intel::context::Context;
use serde_json::{Map, Value};
use thiserror::Error;

/// Arguments of a call, after clamping.
pub type Args = Map<String, Value>;

/// Something that answers tool calls, from several threads at once.
pub trait Toolbox: Send + Sync {
    /// Whether it has this tool.
    fn offers(&self, tool: &str) -> bool;

    /// One answer. It should come before `due`; after that it is dropped. It returns when `due` has
    /// passed, with an answer or without: its thread is one of the caller's.
    ///
    /// # Errors
    /// As [`ToolFault`] says.
    fn call(&self, tool: &str, args: &Args, due: Instant) -> Result<Found, ToolFault>;
}

/// What a tool found. Nothing in it is trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// What answered, with its version: `code-intel 0.1.0`.
    pub version: String,
    /// The answer in a line.
    pub summary: String,
    /// The places, best first.
    pub findings: Vec<Finding>,
    /// Bounds that the tool reached, in words.
    pub limits: Vec<String>,
    /// What it knows of the question beyond the places, for the text.
    pub context: Option<Box<Context>>,
}

/// One place or statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The file, relative to the root.
    pub path: Option<String>,
    /// The definition.
    pub symbol: Option<String>,
    /// What it is about, where it is no place.
    pub title: Option<String>,
    /// First and last line; 0: the file as a whole.
    pub lines: (u32, u32),
    /// Why it is here, in a line.
    pub summary: String,
    /// How sure the tool is, from 0 to 1.
    pub confidence: f64,
    /// Lines worth reading.
    pub snippet: Option<String>,
    /// A statement that excludes others about the same place: two different ones are a conflict.
    pub claim: Option<String>,
}

/// Why a tool has no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ToolFault {
    /// It is missing or broken.
    #[error("{0}")]
    Unavailable(String),
    /// It was asked for something that is not there.
    #[error("{0}")]
    InvalidArgs(String),
    /// Its answer cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It failed in an unforeseen way.
    #[error("{0}")]
    Crashed(String),
    /// It gave up in time.
    #[error("no answer in time")]
    TooSlow,
}
