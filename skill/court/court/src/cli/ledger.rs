//! `court ledger` and `court resolve`.

use serde_json::json;

use super::context::CliContext;
use super::output::{Failed, Output};
use crate::asker::Terminal;
use crate::clock;
use crate::fence;
use crate::records::{Anchor, AnchorKind, Ledger, Reviewer};
use crate::store::Change;

/// How many anchors are listed without `--all`.
const LISTED_MAX: usize = 30;

/// `court ledger`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only anchors of this kind
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// All of them, not only the newest
    #[arg(long)]
    all: bool,
}

/// `court resolve`.
#[derive(Debug, clap::Args)]
pub(super) struct ResolveArgs {
    /// The anchors' ids, as `court ledger` shows them
    #[arg(required = true)]
    ids: Vec<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    Decision,
    Risk,
    Task,
}

/// Lists the anchors, the newest last.
pub(super) fn list(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    desk.store.fold()?;
    let ledger = desk.store.ledger()?;
    let wanted = |anchor: &&Anchor| match args.kind {
        None => true,
        Some(Kind::Decision) => anchor.kind == AnchorKind::Decision,
        Some(Kind::Risk) => anchor.kind == AnchorKind::RiskHigh,
        Some(Kind::Task) => anchor.kind == AnchorKind::TaskActive,
    };
    let found: Vec<&Anchor> = ledger.anchors.iter().filter(wanted).collect();
    let skip = if args.all { 0 } else { found.len().saturating_sub(LISTED_MAX) };
    let line = |anchor: &&Anchor| {
        let content = fence::sanitize_line(&anchor.content, 160);
        let (id, word) = (fence::sanitize_line(&anchor.id, 40), anchor.kind.word());
        format!("{id:<14} {word:<12} {}  {content}", clock::text(anchor.created_at))
    };
    let mut lines: Vec<String> = found.iter().skip(skip).map(line).collect();
    if found.is_empty() {
        lines.push("The ledger is empty.".to_owned());
    } else if skip > 0 {
        lines.insert(0, format!("({skip} older ones are left out; see --all)"));
    }
    if !ledger.foreign.is_empty() {
        lines.push("Not written by the court on this machine, and counted for nothing:".to_owned());
        lines.extend(ledger.foreign.iter().take(LISTED_MAX).map(|anchor| line(&anchor)));
    }
    let json = json!({"anchors": found, "foreign": ledger.foreign, "metadata": ledger.metadata});
    Ok(Output::done(lines.join("\n"), json))
}

/// Resolves anchors, all of them or none.
pub(super) fn resolve(desk: &CliContext, args: &ResolveArgs) -> Result<Output, Failed> {
    desk.store.fold()?;
    let ledger = desk.store.read::<Ledger>()?;
    let known = |id: &&String| ledger.anchors.iter().any(|anchor| anchor.id == **id);
    let unknown: Vec<&str> = args.ids.iter().filter(|id| !known(id)).map(String::as_str).collect();
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        return Err(Failed::Input(format!("no such anchor: {unknown}; see `court ledger`")));
    }
    if desk.reviewer()? == Reviewer::User {
        desk.person(Terminal::Needed)?;
    }
    let change = |id: &String| Change::Resolved { id: id.clone() };
    desk.store.record(&args.ids.iter().map(change).collect::<Vec<_>>())?;
    let text = format!("Resolved: {}", args.ids.join(", "));
    Ok(Output::done(text, json!({"resolved": args.ids})))
}
