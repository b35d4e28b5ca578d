//! The programs that `xc` is compared with: Codex and Claude Code as installed for the tests, and any that are named.

use std::fs;
use std::path::PathBuf;

use tests::claude::claude_bin;
use tests::harness::codex_bin;

/// A peer to be measured: `NAME=PATH`.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    /// Its name in the table.
    pub(super) name: String,
    /// Its executable, with links resolved.
    pub(super) program: PathBuf,
}

impl std::str::FromStr for Peer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let (name, program) = word.split_once('=').ok_or("not NAME=PATH")?;
        let program = fs::canonicalize(program).map_err(|error| format!("{program}: {error}"))?;
        Ok(Self { name: name.to_owned(), program })
    }
}

/// The peers that are installed here, and those that are named.
pub(super) fn all(named: &[Peer]) -> Vec<Peer> {
    let known = [("codex", codex_bin()), ("claude", claude_bin())];
    let known = known.into_iter().filter_map(|(name, program)| {
        Some(Peer { name: name.to_owned(), program: program?.canonicalize().ok()? })
    });
    known.chain(named.iter().cloned()).collect()
}
