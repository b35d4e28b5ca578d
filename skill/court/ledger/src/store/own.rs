//! Separates what the court wrote into the project's files from what others wrote, such as the author
//! of a cloned repository. This is done on reading.

use std::collections::HashSet;

use serde::Serialize;

use super::Store;
use super::error::StoreError;
use crate::records::{Anchor, Kind, Ledger, Metadata, ObjectiveNode, Own, Tree, digest_of};

impl Store {
    /// The ledger. Anchors by other writers are in `foreign`.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn ledger(&self) -> Result<Ledger, StoreError> {
        Ok(told_apart(self.read::<Ledger>()?, || self.own()))
    }

    /// The ledger, without changing anything: no lock is taken, and a damaged file stays
    /// in its place.
    ///
    /// # Errors
    /// As [`Store::read`], and [`StoreError::Damaged`].
    pub fn look(&self) -> Result<Ledger, StoreError> {
        let ledger = self.look_at::<Ledger>()?;
        Ok(told_apart(ledger, || self.look_at::<Own>().unwrap_or_default()))
    }

    /// The nodes that the court measured.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn nodes(&self) -> Result<Vec<ObjectiveNode>, StoreError> {
        let mut nodes = self.read::<Tree>()?.0;
        if !nodes.is_empty() {
            let own = self.own();
            let own = own.of(Kind::Node);
            nodes.retain(|node| own.contains(digest_of(node).as_str()));
        }
        Ok(nodes)
    }

    /// The digests of what the court wrote; empty if unknown.
    pub fn own(&self) -> Own {
        self.read::<Own>().unwrap_or_default()
    }

    /// Records that the court writes something.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn vouch(
        &self,
        kind: Kind,
        digests: impl IntoIterator<Item = String>,
    ) -> Result<(), StoreError> {
        self.update(|own: &mut Own| own.add(kind, digests))
    }

    /// Drops capabilities by other writers, because observations are stated in the court's name.
    pub(super) fn keep_own_capabilities(&self, ledger: &mut Ledger) {
        if !ledger.metadata.capabilities.is_empty() {
            keep_own(&self.own(), &mut ledger.metadata);
        }
    }

    /// Records the digests for a change of a list: both the old and the new entries. They are
    /// recorded before the list is written, so that a crash in between leaves no unknown entries.
    pub(super) fn vouch_for<T: Serialize>(
        &self,
        kind: Kind,
        before: &HashSet<String>,
        after: &[T],
    ) -> Result<(), StoreError> {
        self.update(|own: &mut Own| {
            let known = own.of(kind);
            let digests = after.iter().map(digest_of);
            let ours =
                |digest: &String| known.contains(digest.as_str()) || !before.contains(digest);
            let ours = digests.filter(ours).collect();
            own.set(kind, ours);
        })
    }
}

/// The ledger with the anchors by other writers moved to `foreign`.
fn told_apart(mut ledger: Ledger, own: impl FnOnce() -> Own) -> Ledger {
    if !ledger.anchors.is_empty() || !ledger.metadata.capabilities.is_empty() {
        let own = own();
        keep_own(&own, &mut ledger.metadata);
        let own = own.of(Kind::Anchor);
        let is_own = |anchor: &Anchor| own.contains(digest_of(anchor).as_str());
        (ledger.anchors, ledger.foreign) = ledger.anchors.into_iter().partition(is_own);
    }
    ledger
}

fn keep_own(own: &Own, metadata: &mut Metadata) {
    let known = own.of(Kind::Capability);
    metadata.capabilities.retain(|of, seen| known.contains(digest_of(&(of, &*seen)).as_str()));
    metadata.settle();
}
