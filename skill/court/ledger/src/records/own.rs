//! `own.json` in the user's state folder: digests of what the court itself wrote into the project. Everything
//! else in the project's files is foreign and is shown as such.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::record::{Folder, Record, VERSION};

/// The kinds of content with a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An anchor of the ledger.
    Anchor,
    /// An observation of a capability.
    Capability,
    /// An objective node.
    Node,
    /// A fact packet.
    Packet,
    /// A line of the memory.
    Line,
    /// The historian's pending advice.
    Advice,
}

/// The digests, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Own {
    /// The version of this format.
    pub version: u32,
    /// By kind.
    pub digests: BTreeMap<Kind, Vec<String>>,
}

impl Own {
    /// Adds digests.
    pub fn add(&mut self, kind: Kind, digests: impl IntoIterator<Item = String>) {
        self.digests.entry(kind).or_default().extend(digests);
    }

    /// Replaces all digests of a kind.
    pub fn set(&mut self, kind: Kind, digests: Vec<String>) {
        self.digests.insert(kind, digests);
    }

    /// All digests of a kind.
    pub fn of(&self, kind: Kind) -> HashSet<&str> {
        self.digests.get(&kind).into_iter().flatten().map(String::as_str).collect()
    }
}

/// The digest of bytes.
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of a value as it is serialized.
pub fn digest_of(written: &impl Serialize) -> String {
    digest(serde_json::to_vec(written).unwrap_or_default())
}

impl Default for Own {
    fn default() -> Self {
        Self { version: VERSION, digests: BTreeMap::new() }
    }
}

impl Record for Own {
    const FOLDER: Folder = Folder::Grants;
    const NAME: &'static str = "own.json";
    const BYTES_MAX: u64 = 8 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        for digests in self.digests.values_mut() {
            digests.drain(..digests.len().saturating_sub(super::ledger::ANCHORS_MAX));
        }
        Vec::new()
    }
}
