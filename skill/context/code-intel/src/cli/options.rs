//! The options that all commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// The default timeout of an answer: the first index of a large repository takes seconds,
/// and the user waits for it.
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
