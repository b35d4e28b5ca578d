//! `accepted.json` in the user's state folder: which files of the project the user accepted, by
//! digest. A changed file has to be accepted again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// A request by a project that needs the user's acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// `.court/court.toml`: that it may also loosen the rules.
    Settings,
    /// `.court/manifest.json`: that its text counts as the user's.
    Manifest,
}

/// The accepted digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accepted {
    /// The version of this format.
    pub version: u32,
    /// The SHA-256 of the file for each request.
    pub digests: BTreeMap<Wish, String>,
}

impl Accepted {
    /// Whether the user accepted this content.
    pub fn has(&self, wish: Wish, digest: &str) -> bool {
        self.digests.get(&wish).is_some_and(|accepted| accepted == digest)
    }
}

impl Default for Accepted {
    fn default() -> Self {
        Self { version: VERSION, digests: BTreeMap::new() }
    }
}

impl Record for Accepted {
    const FOLDER: Folder = Folder::Grants;
    const NAME: &'static str = "accepted.json";
    const BYTES_MAX: u64 = 64 << 10;

    fn version(&self) -> u32 {
        self.version
    }
}
