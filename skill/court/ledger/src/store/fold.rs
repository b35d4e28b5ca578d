//! Folds pending changes into ledger and nodes, under the lock. Each is applied once: after a crash in
//! between, the ledger knows which were applied.

use std::collections::HashSet;

use super::change::{Change, Origin};
use super::error::StoreError;
use super::{Store, spool};
use crate::records::{AnchorKind, Kind, Ledger, ObjectiveNode, Tree, digest_of};

/// Applies all pending changes. The lock must be held.
pub(super) fn fold(store: &Store) -> Result<(), StoreError> {
    let spool = store.spool()?;
    let waiting = spool::waiting(&spool);
    let (whole, damaged): (Vec<_>, Vec<_>) =
        waiting.into_iter().partition(|file| file.entry.is_some());
    for file in damaged {
        let aside = spool::keep_aside(&spool, &file.name)?;
        store.kept_aside.borrow_mut().push(aside);
    }
    let entries = || whole.iter().filter_map(|file| Some((&file.name, file.entry.as_ref()?)));
    let mut nodes: Vec<ObjectiveNode> = Vec::new();
    for (_, entry) in entries() {
        for change in &entry.changes {
            if let Change::NodeMeasured { node } = change {
                nodes.push((**node).clone());
            }
        }
    }
    if !nodes.is_empty() {
        store.update_locked(|tree: &mut Tree| {
            let before = tree.0.iter().map(digest_of).collect();
            nodes.into_iter().for_each(|node| put(tree, node));
            store.vouch_for(Kind::Node, &before, &tree.0)
        })??;
    }
    if !whole.is_empty() {
        store.update_locked(|ledger: &mut Ledger| {
            let before = ledger.anchors.iter().map(digest_of).collect();
            store.keep_own_capabilities(ledger);
            for (name, entry) in entries() {
                if ledger.metadata.applied.contains(name) {
                    continue;
                }
                for change in &entry.changes {
                    apply(ledger, change, entry.at_ms);
                }
                ledger.metadata.applied.push(name.clone());
            }
            let seen: Vec<_> = ledger.metadata.capabilities.iter().collect();
            store.vouch_for(Kind::Capability, &HashSet::new(), &seen)?;
            store.vouch_for(Kind::Anchor, &before, &ledger.anchors)
        })??;
    }
    for file in &whole {
        spool.remove(&file.name)?;
    }
    Ok(())
}

/// Adds a node, or replaces the agent's earlier one: the agent has continued.
fn put(tree: &mut Tree, node: ObjectiveNode) {
    let same = |old: &&mut ObjectiveNode| old.agent_id.is_some() && old.agent_id == node.agent_id;
    match tree.0.iter_mut().find(same) {
        Some(old) => *old = node,
        None => tree.0.push(node),
    }
}

fn apply(ledger: &mut Ledger, change: &Change, now_ms: u64) {
    match change {
        Change::TaskOpened { task_id, content, origin } => {
            if !stands(ledger, AnchorKind::TaskActive, origin) {
                let (task, origin) = (Some(task_id.clone()), Some(origin.0.clone()));
                ledger.add(AnchorKind::TaskActive, task, content.clone(), origin, now_ms);
            }
        }
        Change::TaskLaunched { call, agent } => {
            let task = ledger.anchors.iter_mut().find(|anchor| {
                anchor.kind == AnchorKind::TaskActive
                    && anchor.persisted_ref.as_deref() == Some(&call.0)
            });
            if let Some(task) = task {
                task.persisted_ref = Some(agent.0.clone());
            }
        }
        Change::TaskClosed { origin, task_id } => close(ledger, origin, task_id.as_deref()),
        Change::Decided { task_id, content, origin } => {
            let known = origin.as_ref().is_some_and(|origin| {
                stands(ledger, AnchorKind::Decision, origin)
                    && ledger.anchors.iter().any(|anchor| anchor.content == *content)
            });
            if !known {
                let origin = origin.as_ref().map(|origin| origin.0.clone());
                let (kind, content) = (AnchorKind::Decision, content.clone());
                ledger.add(kind, task_id.clone(), content, origin, now_ms);
            }
        }
        Change::RiskRaised { task_id, content, origin } => {
            if !ledger.of_kind(AnchorKind::RiskHigh).any(|anchor| anchor.content == *content) {
                let origin = origin.as_ref().map(|origin| origin.0.clone());
                let (kind, content) = (AnchorKind::RiskHigh, content.clone());
                ledger.add(kind, task_id.clone(), content, origin, now_ms);
            }
        }
        Change::Resolved { id } => ledger.anchors.retain(|anchor| anchor.id != *id),
        Change::NodeMeasured { .. } => {}
        Change::CapabilitySeen { capability, standing, why } => {
            ledger.observe(*capability, *standing, why, now_ms);
        }
        Change::KeptAside { path } => ledger.metadata.kept_aside.push(path.clone()),
    }
}

fn stands(ledger: &Ledger, kind: AnchorKind, origin: &Origin) -> bool {
    ledger.of_kind(kind).any(|anchor| anchor.persisted_ref.as_deref() == Some(&origin.0))
}

/// Removes the task with this origin; if there is none, one task with that name and no origin.
fn close(ledger: &mut Ledger, origin: &Origin, task_id: Option<&str>) {
    let task = |anchor: &crate::records::Anchor| anchor.kind == AnchorKind::TaskActive;
    let by_origin = ledger
        .anchors
        .iter()
        .position(|anchor| task(anchor) && anchor.persisted_ref.as_deref() == Some(&origin.0));
    let by_name = || {
        let name = task_id?;
        ledger.anchors.iter().position(|anchor| {
            task(anchor)
                && anchor.persisted_ref.is_none()
                && anchor.task_id.as_deref() == Some(name)
        })
    };
    if let Some(at) = by_origin.or_else(by_name) {
        ledger.anchors.remove(at);
    }
}
