//! What of the project's files the court wrote itself. What others put there, such as the author
//! of a repository that was cloned, is told apart when it is read.

use std::collections::HashSet;

use serde::Serialize;

use super::Store;
use super::error::StoreError;
use crate::records::{Anchor, Kind, Ledger, Metadata, ObjectiveNode, Own, Tree, digest_of};

impl Store {
    /// The ledger. Anchors of another hand are in `foreign`.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn ledger(&self) -> Result<Ledger, StoreError> {
        Ok(told_apart(self.read::<Ledger>()?, || self.own()))
    }

    /// The ledger for a reader that leaves everything as it is: no lock is taken, and a damaged file stays
    /// where it is.
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

    /// What the court wrote itself; nothing where that is not known.
    pub fn own(&self) -> Own {
        self.read::<Own>().unwrap_or_default()
    }

    /// Notes that the court writes something.
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

    /// Drops what another hand wrote of the capabilities: what was seen is said in the court's name.
    pub(super) fn keep_own_capabilities(&self, ledger: &mut Ledger) {
        if !ledger.metadata.capabilities.is_empty() {
            keep_own(&self.own(), &mut ledger.metadata);
        }
    }

    /// Notes what a change of a list makes the court's own: what was before, and what is new. It is
    /// noted before the list is written: a process that dies between the two leaves nothing unknown.
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

/// The ledger with the anchors of another hand in `foreign`.
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
