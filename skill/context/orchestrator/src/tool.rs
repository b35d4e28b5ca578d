//! The interface between the orchestrator and the toolboxes: the embedded engine, or another provider of the
//! same tools. The orchestrator knows names, tiers and bounds; a toolbox produces answers.

use std::time::Instant;

use code_intel::context::Context;
use serde_json::{Map, Value};
use thiserror::Error;

/// Arguments of a call, after clamping.
pub type Args = Map<String, Value>;

/// Answers tool calls, from several threads at once.
pub trait Toolbox: Send + Sync {
    /// Whether it has this tool.
    fn offers(&self, tool: &str) -> bool;

    /// Answers a call. The answer should come before `due`; later it is dropped. It must return when `due` has
    /// passed, with or without an answer, because it runs on the caller's thread.
    ///
    /// # Errors
    /// [`ToolFault`], by cause.
    fn call(&self, tool: &str, args: &Args, due: Instant) -> Result<Found, ToolFault>;
}

/// The answer of a tool. Untrusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Name and version of the program: `code-intel 0.1.0`.
    pub version: String,
    /// The answer in a line.
    pub summary: String,
    /// The places, best first.
    pub findings: Vec<Finding>,
    /// Limits that the tool reached, as text.
    pub limits: Vec<String>,
    /// Further knowledge about the question, for the text.
    pub context: Option<Box<Context>>,
}

/// One place or statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The file, relative to the root.
    pub path: Option<String>,
    /// The definition.
    pub symbol: Option<String>,
    /// Its title, if it is not a place.
    pub title: Option<String>,
    /// First and last line; 0 for the whole file.
    pub lines: (u32, u32),
    /// The reason, in one line.
    pub summary: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Relevant lines.
    pub snippet: Option<String>,
    /// A claim; two different claims about the same place are a conflict.
    pub claim: Option<String>,
}

/// Why a tool has no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ToolFault {
    /// The tool is missing or broken.
    #[error("{0}")]
    Unavailable(String),
    /// An argument refers to something that does not exist.
    #[error("{0}")]
    InvalidArgs(String),
    /// Its answer cannot be parsed.
    #[error("{0}")]
    Unreadable(String),
    /// It failed unexpectedly.
    #[error("{0}")]
    Crashed(String),
    /// It reached its deadline.
    #[error("no answer in time")]
    TooSlow,
}
