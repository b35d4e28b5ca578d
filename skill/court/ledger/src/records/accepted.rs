//! `accepted.json` in the user's state folder: which of the project's wishes the user agreed to, by
//! content. A file that changes is asked about again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// What a project may ask the user for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// `.court/court.toml`: that it may also loosen.
    Settings,
    /// `.court/manifest.json`: that its words count as the user's.
    Manifest,
}

/// The digests that were accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accepted {
    /// The version of this format.
    pub version: u32,
    /// The SHA-256 of the file, for each wish.
    pub digests: BTreeMap<Wish, String>,
}

impl Accepted {
    /// Whether the user agreed to this content.
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
