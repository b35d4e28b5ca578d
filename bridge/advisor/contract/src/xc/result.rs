//! How a run of `xc -p` ended: the `end` event, and the result that `--output-format json` prints.

use serde::{Deserialize, Serialize};

use super::part::{CommandRun, DeniedCall, EndReason, TokenUsage};
use crate::id::SessionId;

/// The version of the result's format.
pub const RESULT_FORMAT: &str = "xc-result/1";

/// The end of a run, with everything that it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended.
    pub reason: EndReason,
    /// The exit code of the program: 0, 1, 2, 3, 4, 5, 130 or 143.
    pub exit: u8,
    /// The model's last message, masked; may be empty.
    pub answer: String,
    /// All tokens of the run.
    pub usage: TokenUsage,
    /// Estimated cost in US dollars; absent if the model's price is unknown.
    pub cost_usd: Option<f64>,
    /// Files that were changed, relative to the workspace.
    pub changed: Vec<String>,
    /// Commands that ran, in order.
    pub commands: Vec<CommandRun>,
    /// Denied calls, in order.
    pub denied: Vec<DeniedCall>,
}

/// What `--output-format json` prints.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The session, for `--resume`.
    pub session: SessionId,
    /// How it ended.
    pub end: End,
}

/// The fields before an [`End`].
#[derive(Deserialize)]
struct Head {
    session: SessionId,
}

impl RunResult {
    /// Parses the output.
    ///
    /// # Errors
    /// The text is not a result.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        let head: Head = serde_json::from_str(json)?;
        Ok(Self { session: head.session, end: serde_json::from_str(json)? })
    }
}

impl Serialize for RunResult {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'r> {
            schema: &'static str,
            session: SessionId,
            #[serde(flatten)]
            end: &'r End,
        }
        Whole { schema: RESULT_FORMAT, session: self.session, end: &self.end }.serialize(serializer)
    }
}
