//! The texts that are handed on: the fenced block for the model, and three short ones for people.
//! Nothing is judged here any more; what comes in is washed and fused.

use crate::fuse::{Fused, Item};
use crate::report::{Status, ToolPlan, ToolResult};
use fence::{CLOSE, OPEN, PREFACE};

/// The most snippets in the block (proposal, design point 5).
const SNIPPETS_MAX: usize = 3;

/// A text within its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text; empty when there is nothing to say, or no room.
    pub text: String,
    /// The tools whose items found no room.
    pub cut: Vec<String>,
}

/// The block for the model, at most `room` UTF-16 code units.
#[must_use]
pub fn block(fused: &Fused, results: &[ToolResult], room: u64) -> Block {
    if fused.items.is_empty() {
        return Block { text: String::new(), cut: Vec::new() };
    }
    let head = format!("{OPEN}\n{PREFACE}\n");
    let tail = format!("{}{CLOSE}", sources(results));
    let shown = snippets(fused);
    let mut left =
        usize::try_from(room).unwrap_or(usize::MAX).checked_sub(units(&head) + units(&tail));
    let mut lines = vec![String::new(); fused.items.len()];
    let mut cut: Vec<String> = Vec::new();
    // The surest get the room first; the order on the page stays.
    let mut by_confidence: Vec<usize> = (0..fused.items.len()).collect();
    by_confidence
        .sort_by(|&a, &b| confidence(&fused.items[b]).total_cmp(&confidence(&fused.items[a])));
    for index in by_confidence {
        let item = &fused.items[index];
        let bare = line(item);
        let full =
            if shown.contains(&index) { format!("{bare}{}", quoted(item)) } else { bare.clone() };
        let fits = |text: &String| left.is_some_and(|left| units(text) <= left);
        let chosen = [full, bare].into_iter().find(fits);
        let is_whole =
            chosen.as_ref().is_some_and(|text| !shown.contains(&index) || text.contains("\n  |"));
        if !is_whole && !cut.contains(&item.traced.tool) {
            cut.push(item.traced.tool.clone());
        }
        if let Some(text) = chosen {
            left = left.map(|left| left - units(&text));
            lines[index] = text;
        }
    }
    let body = lines.concat();
    let text = if body.is_empty() { String::new() } else { format!("{head}{body}{tail}") };
    Block { text, cut }
}

/// The length that clients count: UTF-16 code units.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn confidence(item: &Item) -> f64 {
    item.traced.finding.confidence
}

/// The items whose snippets are shown: the surest, each place once.
fn snippets(fused: &Fused) -> Vec<usize> {
    let mut candidates: Vec<usize> = (0..fused.items.len())
        .filter(|&index| {
            fused.items[index].traced.finding.snippet.as_ref().is_some_and(|text| !text.is_empty())
        })
        .collect();
    candidates
        .sort_by(|&a, &b| confidence(&fused.items[b]).total_cmp(&confidence(&fused.items[a])));
    let mut places = Vec::new();
    candidates.retain(|&index| {
        let place = fused.items[index].place();
        let is_new = !places.contains(&place);
        places.push(place);
        is_new
    });
    candidates.truncate(SNIPPETS_MAX);
    candidates
}

fn line(item: &Item) -> String {
    let traced = &item.traced;
    let summary = &traced.finding.summary;
    let why = if summary.is_empty() { String::new() } else { format!(": {summary}") };
    let mut line = format!("- {} ({} {:.2}){why}\n", item.place(), traced.tool, confidence(item));
    for claim in &item.conflict {
        let text = claim.finding.claim.as_deref().unwrap_or_default();
        line.push_str(&format!("  conflict: {text} ({} at {})\n", claim.tool, claim.at));
    }
    line
}

fn quoted(item: &Item) -> String {
    let snippet = item.traced.finding.snippet.as_deref().unwrap_or_default();
    snippet.lines().map(|line| format!("  | {line}\n")).collect()
}

/// Tool, version and time of everything in the block.
fn sources(results: &[ToolResult]) -> String {
    let answered = results.iter().filter(|result| result.status == Status::Ok);
    let source = |result: &ToolResult| {
        let version = result
            .data
            .as_ref()
            .and_then(|data| data.get("version"))
            .and_then(|version| version.as_str());
        format!("{} ({}, {})", result.tool, version.unwrap_or("unknown version"), result.started_at)
    };
    format!("Sources: {}.\n", answered.map(source).collect::<Vec<_>>().join("; "))
}

/// Which tools, and why.
#[must_use]
pub fn plan_text(plan: &ToolPlan) -> String {
    if plan.tools.is_empty() {
        return String::new();
    }
    let tool = |tool: &crate::report::PlannedTool| {
        format!("- {} (tier {}): {}", tool.tool, tool.tier, tool.reason)
    };
    let tools: Vec<String> = plan.tools.iter().map(tool).collect();
    format!("[Auto Tools] {} tools\n{}", plan.tools.len(), tools.join("\n"))
}

/// What was found, merged.
#[must_use]
pub fn results_text(fused: &Fused, results: &[ToolResult]) -> String {
    if results.is_empty() {
        return String::new();
    }
    let tool = |result: &ToolResult| {
        let said = match &result.error {
            Some(error) if result.status == Status::Ok => {
                format!("{} ({})", result.summary, error.message)
            }
            Some(error) => error.message.clone(),
            None => result.summary.clone(),
        };
        format!("- {} {} in {} ms: {said}", result.tool, status(result.status), result.duration_ms)
    };
    let mut lines = vec![format!("[Results] {} items", fused.items.len())];
    lines.extend(results.iter().map(tool));
    lines.extend(fused.items.iter().map(|item| line(item).trim_end().to_owned()));
    lines.join("\n")
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Timeout => "timeout",
        Status::Error => "error",
        Status::Skipped => "skipped",
    }
}
