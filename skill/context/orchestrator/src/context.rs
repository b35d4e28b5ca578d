//! Builds the output texts: the fenced block for the model, and three short ones for people.
//! The input is already sanitized and fused.

use code_intel::context::{Context, Rendered, Section, SectionItem};
use orchestration::report::{Status, ToolPlan, ToolResult};

use crate::fuse::{Fused, Item};
use fence::{CLOSE, OPEN, PREFACE, units};

/// A text within its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text; empty when there is nothing to say, or no room.
    pub text: String,
    /// The tools of which some items did not fit.
    pub cut: Vec<String>,
}

/// The block for the model, at most `room` UTF-16 code units: first what is `known` about the question, then the
/// remaining findings, by tool.
#[must_use]
pub fn block(fused: &Fused, mut known: Context, results: &[ToolResult], room: u64) -> Block {
    let is_new = |item: &&Item| !(is_search(item) && names(&known, item));
    let new: Vec<&Item> = fused.items.iter().filter(is_new).collect();
    known.sections = sections(&new);
    let head = format!("{OPEN}\n{PREFACE}\n");
    let tail = format!("{}{CLOSE}", sources(results));
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let left = room.saturating_sub(units(&head) + units(&tail));
    let Rendered { text: body, mut cut, is_short } = known.render(left);
    if is_short {
        cut.push(GATHERS.to_owned());
    }
    // A place that two tools found is shown once; if it does not fit, it is left out for both.
    let told: Vec<(String, &String)> =
        new.iter().map(|item| (item.place(), &item.traced.tool)).collect();
    let is_cut = |place: &String| {
        told.iter().any(|(other, tool)| other == place && cut.contains(tool))
            || !body.contains(place)
    };
    let also: Vec<String> =
        told.iter().filter(|(place, _)| is_cut(place)).map(|(_, tool)| (*tool).clone()).collect();
    cut.extend(also);
    cut.sort_unstable();
    cut.dedup();
    let text = if body.is_empty() { String::new() } else { format!("{head}{body}{tail}") };
    Block { text, cut }
}

/// The tool whose text names files and functions.
const GATHERS: &str = "ci_graph_rag";

/// Whether an item comes from one of the two searches, whose places the text contains anyway. For other tools
/// the reason is shown, too.
fn is_search(item: &Item) -> bool {
    matches!(item.traced.tool.as_str(), "ci_search" | "ci_graph_rag")
}

fn names(known: &Context, item: &Item) -> bool {
    let path = item.traced.finding.path.as_deref();
    item.conflict.is_empty() && path.is_some_and(|path| known.names(path))
}

/// The items by tool, by descending confidence, each place once.
fn sections(items: &[&Item]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut by_confidence: Vec<&Item> = items.to_vec();
    by_confidence.sort_by(|a, b| confidence(b).total_cmp(&confidence(a)));
    let mut told: Vec<String> = Vec::new();
    for item in by_confidence {
        let SectionItem { place, .. } = &placed(item);
        if told.contains(place) && item.conflict.is_empty() {
            continue;
        }
        told.push(place.clone());
        let title = &item.traced.tool;
        match sections.iter_mut().find(|section| section.title == *title) {
            Some(section) => section.places.push(placed(item)),
            None => sections.push(Section { title: title.clone(), places: vec![placed(item)] }),
        }
    }
    sections
}

fn placed(item: &Item) -> SectionItem {
    let claim = |claim: &crate::fuse::Traced| {
        let text = claim.finding.claim.as_deref().unwrap_or_default();
        format!("{text} ({} at {})", claim.tool, claim.at)
    };
    SectionItem {
        place: item.place(),
        why: item.traced.finding.summary.clone(),
        claims: item.conflict.iter().map(claim).collect(),
        snippet: item.traced.finding.snippet.clone(),
    }
}

fn confidence(item: &Item) -> f64 {
    item.traced.finding.confidence
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

/// Tool, version and time of each result in the block.
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

/// The planned tools and the reasons.
#[must_use]
pub fn plan_text(plan: &ToolPlan) -> String {
    if plan.tools.is_empty() {
        return String::new();
    }
    let tool = |tool: &orchestration::report::PlannedTool| {
        format!("- {} (tier {}): {}", tool.tool, tool.tier, tool.reason)
    };
    let tools: Vec<String> = plan.tools.iter().map(tool).collect();
    format!("[Auto Tools] {} tools\n{}", plan.tools.len(), tools.join("\n"))
}

/// The fused findings.
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
