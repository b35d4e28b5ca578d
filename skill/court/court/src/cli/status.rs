//! `court status`: an overview on one screen.

use serde_json::json;

use super::context::CliContext;
use super::cost::Cost;
use super::output::{Failed, Output};
use super::{approve, approver, packets, wiring};
use crate::audit_log;
use crate::config::{Enabled, Source};
use crate::ledger;
use crate::manifest;
use crate::records::{AnchorKind, Mode, Reviews};

/// Shows the mode, open risks and tasks, and waiting requests.
pub(super) fn status(desk: &CliContext) -> Result<Output, Failed> {
    // A folder that cannot be written is still shown.
    let _ = desk.store.fold();
    let ledger = desk.store.ledger()?;
    let reviews = desk.store.read::<Reviews>()?;
    let nodes = desk.store.nodes()?.len();
    let cost = Cost::of(desk)?;
    let packets = packets::found(desk).len();
    let wired = wiring::look(desk);
    let marked = audit_log::newest(&desk.store).len();
    let phase = match manifest::load(&desk.store) {
        Ok(None) => "no manifest".to_owned(),
        Ok(Some(manifest)) => format!("{} of {}", manifest.phases.current, manifest.task_id),
        Err(unusable) => unusable.to_string(),
    };
    let enabled = match desk.resolved.config.enabled {
        Enabled::Yes => "on",
        Enabled::No => "off (court.enabled = false)",
    };
    let hooks = match wired.is_complete() {
        true => format!("wired: {}", wired.place()),
        false => "not wired; see `court doctor`".to_owned(),
    };
    let count = |kind| ledger.of_kind(kind).count();
    let mut lines = vec![
        format!("Project   {}", desk.places.project.display()),
        format!("Court     {enabled}; hooks {hooks}"),
        ledger::mode(&ledger).replacen("Mode: ", "Mode      ", 1),
        format!("Phase     {phase}"),
        format!(
            "Ledger    {} risks, {} tasks, {} decisions",
            count(AnchorKind::RiskHigh),
            count(AnchorKind::TaskActive),
            count(AnchorKind::Decision)
        ),
        format!("Nodes     {nodes}; packets {packets}; calls marked in the last session {marked}"),
        format!("Reviews   {} wait", reviews.requests.len()),
        format!("At Stop   {}", cost.line(desk)),
        format!("State     {}", state(desk)),
        format!("Approver  {}", approver::line(desk)),
    ];
    for kind in [AnchorKind::RiskHigh, AnchorKind::TaskActive] {
        lines.extend(ledger.of_kind(kind).map(ledger::line));
    }
    for request in reviews.requests.iter().rev().take(5) {
        let what = crate::fence::sanitize_line(&request.what, 100);
        lines.push(format!("- {} {}: {what}", request.id, request.level));
    }
    let changed = desk.resolved.settings.iter().filter(|(_, _, source)| *source != Source::Default);
    for (name, value, source) in changed {
        lines.push(format!("Setting   {name} = {value}  ({source})"));
    }
    for fault in &desk.resolved.faults {
        lines.push(format!("Fault     {fault}"));
    }
    let json = json!({
        "project": desk.places.project,
        "state": desk.places.grants().map(|grants| grants.path()),
        "foreign_anchors": ledger.foreign.len(),
        "enabled": desk.resolved.config.enabled == Enabled::Yes,
        "wired": wired.is_complete(),
        "mode": if ledger.metadata.mode == Mode::Full { "full" } else { "degraded" },
        "capabilities": ledger.metadata.capabilities,
        "phase": phase,
        "anchors": {
            "RISK_HIGH": count(AnchorKind::RiskHigh),
            "TASK_ACTIVE": count(AnchorKind::TaskActive),
            "DECISION": count(AnchorKind::Decision),
        },
        "nodes": nodes,
        "packets": packets,
        "marked": marked,
        "requests": approve::briefs(&reviews),
        "review": cost.json(desk),
        "approver": approver::json(desk),
        "allowed": desk.resolved.config.allow.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "faults": desk.resolved.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    Ok(Output::done(lines.join("\n"), json))
}

/// The folder of records that grant something.
fn state(desk: &CliContext) -> String {
    let grants = desk.places.grants().map(|grants| grants.path().display().to_string());
    grants.unwrap_or_else(|| crate::store::StoreError::NoState.to_string())
}
