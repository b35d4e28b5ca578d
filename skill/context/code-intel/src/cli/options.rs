//! The options that every command takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// How long an answer may take by default: the first index of a large repository takes seconds,
/// and a person waits for it.
const TIMEOUT_MS: u64 = 30_000;

// Not a doc comment: clap would take it for the command's description.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The repository [default: the git top level around the working directory]
    #[arg(long, short = 'C', global = true, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Answer within this time with what is found by then
    #[arg(long, global = true, value_name = "MS", default_value_t = TIMEOUT_MS)]
    pub(crate) timeout_ms: u64,
}

impl Options {
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}
