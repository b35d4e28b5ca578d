//! `cal.json`: the anchors, and the observed capabilities of the client.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::anchor::{Anchor, AnchorKind};
use super::capability::{Before, Capability, Mode, Observation, Standing};
use super::record::{Folder, Record, VERSION};

/// Maximum number of anchors; the oldest decisions beyond are moved to the archive.
pub const ANCHORS_MAX: usize = 10_000;
/// Maximum accepted number: the file may be written by others.
const SEQ_MAX: u64 = 1 << 52;
/// Number of stored change names, so that no change is applied twice after a crash.
const APPLIED_MAX: usize = 512;

/// The ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// The anchors, oldest first.
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    /// The version of this format.
    #[serde(default = "current")]
    pub version: u32,
    /// The number of the last anchor or change.
    #[serde(default)]
    pub last_seq: u64,
    /// State of the mechanisms.
    #[serde(default)]
    pub metadata: Metadata,
    /// Anchors that the court did not write, separated by [`crate::store::Store::ledger`]: they have no effect.
    #[serde(skip)]
    pub foreign: Vec<Anchor>,
}

/// The court's own state in `cal.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// Full, or degraded in at least one capability.
    pub mode: Mode,
    /// The last observation of each capability; absent if it was not observed yet.
    #[serde(deserialize_with = "known")]
    pub capabilities: BTreeMap<Capability, Observation>,
    /// Damaged files that were set aside, newest last.
    pub kept_aside: Vec<String>,
    /// The latest applied changes.
    pub applied: Vec<String>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            anchors: Vec::new(),
            version: VERSION,
            last_seq: 0,
            metadata: Metadata::default(),
            foreign: Vec::new(),
        }
    }
}

impl Record for Ledger {
    const FOLDER: Folder = Folder::Historian;
    const NAME: &'static str = "cal.json";
    const BYTES_MAX: u64 = 16 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        let over = self.anchors.len().saturating_sub(ANCHORS_MAX);
        let mut left = over;
        let mut dropped = Vec::new();
        self.anchors.retain(|anchor| {
            let drop = left > 0 && anchor.kind == AnchorKind::Decision;
            if drop {
                left -= 1;
                dropped.extend(serde_json::to_string(anchor));
            }
            !drop
        });
        let applied = &mut self.metadata.applied;
        applied.drain(..applied.len().saturating_sub(APPLIED_MAX));
        let aside = &mut self.metadata.kept_aside;
        aside.drain(..aside.len().saturating_sub(32));
        dropped
    }
}

impl Ledger {
    /// The anchors of a kind, oldest first.
    pub fn of_kind(&self, kind: AnchorKind) -> impl DoubleEndedIterator<Item = &Anchor> {
        self.anchors.iter().filter(move |anchor| anchor.kind == kind)
    }

    /// Adds an anchor with the next number, and returns its id.
    pub fn add(
        &mut self,
        kind: AnchorKind,
        task_id: Option<String>,
        content: String,
        persisted_ref: Option<String>,
        now_ms: u64,
    ) -> String {
        if self.last_seq >= SEQ_MAX {
            self.last_seq = self.anchors.len() as u64;
        }
        self.last_seq += 1;
        let id = format!("{}_{}", kind.prefix(), self.last_seq);
        self.anchors.push(Anchor {
            id: id.clone(),
            kind,
            task_id,
            content,
            created_at: now_ms,
            expires_on: Some(kind.expiry()),
            persisted_ref,
        });
        id
    }

    /// Records an observation of a capability.
    pub fn observe(&mut self, capability: Capability, standing: Standing, why: &str, now_ms: u64) {
        let capabilities = &mut self.metadata.capabilities;
        match capabilities.get_mut(&capability) {
            Some(seen) if seen.standing == standing => {
                why.clone_into(&mut seen.why);
                seen.times = seen.times.saturating_add(1);
                seen.last_ms = Some(now_ms);
            }
            found => {
                let before = found.map(|seen| Before {
                    standing: seen.standing,
                    why: seen.why.clone(),
                    since_ms: seen.since_ms,
                });
                let form = (standing == Standing::Degraded).then(|| capability.form().to_owned());
                let (why, since_ms) = (why.to_owned(), now_ms);
                let seen =
                    Observation { standing, why, form, since_ms, times: 1, last_ms: None, before };
                capabilities.insert(capability, seen);
            }
        }
        self.metadata.settle();
    }
}

impl Metadata {
    /// Derives the mode from the capabilities.
    pub fn settle(&mut self) {
        let degraded = |seen: &Observation| seen.standing == Standing::Degraded;
        let any = self.capabilities.values().any(degraded);
        self.mode = if any { Mode::Degraded } else { Mode::Full };
    }
}

/// The capabilities known to this version; entries of a newer version are skipped.
fn known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Capability, Observation>, D::Error> {
    let all = BTreeMap::<String, Value>::deserialize(deserializer)?;
    let read = |(name, seen)| {
        let capability = serde_json::from_value(Value::String(name)).ok()?;
        Some((capability, serde_json::from_value(seen).ok()?))
    };
    Ok(all.into_iter().filter_map(read).collect())
}

fn current() -> u32 {
    VERSION
}
