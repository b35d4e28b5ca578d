//! What every command needs: the engine for the root, the deadline, and progress on a terminal.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use host::Environment;

use super::error::CliError;
use super::options::Options;
use crate::deadline::Deadline;
use crate::engine::{Engine, cache_folder};
use crate::root::RepoRoot;
use crate::view::View;

/// Fewer files than this are read before anyone wonders.
const SHOWN_FROM: usize = 500;
/// The largest question that is read from standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 1024 * 1024;

/// One run of `ci`.
pub(crate) struct Session {
    pub(crate) engine: Engine,
    pub(crate) deadline: Deadline,
    pub(crate) environment: Environment,
}

impl Session {
    pub(crate) fn new(options: &Options, environment: Environment) -> Result<Self, CliError> {
        let deadline = Deadline::after(options.timeout());
        let root = match &options.root {
            Some(root) => RepoRoot::at(root)?,
            None => {
                let root = RepoRoot::around(&PathBuf::from("."))?;
                if let Some((top, owner)) = host::own::foreign_repository(root.path()) {
                    let top = top.to_string_lossy();
                    let top = redact::visible_line(&top);
                    // With standard error gone there is no one to tell.
                    let _ = writeln!(
                        io::stderr(),
                        "{top} is a repository of user {owner}, and is not believed: this folder alone is looked at"
                    );
                }
                root
            }
        };
        let cache = cache_folder(&environment)?;
        Ok(Self { engine: Engine::new(root, cache), deadline, environment })
    }

    /// The index, up to date; on a terminal with progress while it takes long.
    pub(crate) fn view(&self) -> Result<View, CliError> {
        let terminal = io::stderr().is_terminal();
        let shown = AtomicUsize::new(0);
        let progress = |done: usize, all: usize| {
            if terminal && all >= SHOWN_FROM {
                shown.store(1, Ordering::Relaxed);
                let _ = write!(io::stderr(), "\rreading files: {done} of {all}");
            }
        };
        let view = self.engine.view_with(&self.deadline, &progress)?;
        if shown.into_inner() > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        Ok(view)
    }
}

/// A question from the command line, or from standard input for `-`.
pub(crate) fn question(text: &str) -> Result<String, CliError> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes).map_err(CliError::Input)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
