//! Merges the results of several tools into one ranking: one item per key, in a fixed order, short, and with
//! contradictions side by side. The result does not depend on the order in which findings arrive.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::tool::Finding;

/// The longest summary, in characters (proposal, design point 9).
pub const SUMMARY_MAX: usize = 240;
/// The most items (proposal, design point 9).
pub const ITEMS_MAX: usize = 12;

/// A finding with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// The tool that found it.
    pub tool: String,
    /// Name and version of the program that answered.
    pub version: String,
    /// When the tool was started, RFC 3339.
    pub at: String,
    /// The finding, sanitized.
    pub finding: Finding,
}

/// One item of the fused context.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The finding chosen for the key.
    pub traced: Traced,
    /// Whether its summary was cut.
    pub truncated: bool,
    /// All claims of a contradiction, with their tools and times; empty when there is none.
    pub conflict: Vec<Traced>,
}

/// Result of fusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The items, in order, at most [`ITEMS_MAX`].
    pub items: Vec<Item>,
    /// Number of items before the cut.
    pub total: usize,
}

/// The key of a finding: tool, path, symbol, title; `-` if absent.
type Key = [String; 4];

/// Merges the results of several tools into one ranking: findings with the same key are merged into one item.
#[must_use]
pub fn fuse(findings: Vec<Traced>) -> Fused {
    let mut keyed: BTreeMap<Key, Vec<Traced>> = BTreeMap::new();
    for traced in findings {
        keyed.entry(key(&traced)).or_default().push(traced);
    }
    let mut items: Vec<(Key, Item)> =
        keyed.into_iter().map(|(key, group)| (key, item(group))).collect();
    items.sort_by(|(a_key, a), (b_key, b)| {
        a_key[..3].cmp(&b_key[..3]).then_with(|| preference(&a.traced, &b.traced))
    });
    let total = items.len();
    let items = items.into_iter().take(ITEMS_MAX).map(|(_, item)| item).collect();
    Fused { items, total }
}

/// The best findings of each tool, so that no tool takes all places; in any order.
#[must_use]
pub fn shares(mut findings: Vec<Traced>) -> Vec<Traced> {
    findings.sort_by(|a, b| preference(a, b).then_with(|| key(a).cmp(&key(b))));
    let mut tools: Vec<&str> = findings.iter().map(|traced| traced.tool.as_str()).collect();
    tools.sort_unstable();
    tools.dedup();
    let share = ITEMS_MAX.div_ceil(tools.len().max(1));
    let mut taken: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    findings.retain(|traced| {
        let keys = taken.entry(traced.tool.clone()).or_default();
        let key = key(traced);
        let known = keys.contains(&key);
        if !known && keys.len() < share {
            keys.push(key);
            return true;
        }
        known
    });
    findings
}

fn key(traced: &Traced) -> Key {
    let normal = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() { "-".to_owned() } else { text }
    };
    let path = normal(&traced.finding.path).replace('\\', "/");
    let path = path.trim_start_matches("./").to_owned();
    let symbol = normal(&traced.finding.symbol).trim_end_matches("()").to_owned();
    [traced.tool.clone(), path, symbol, normal(&traced.finding.title).to_lowercase()]
}

/// By descending confidence, then by all other fields, so that the order of arrival does not matter.
fn preference(a: &Traced, b: &Traced) -> std::cmp::Ordering {
    let rest = |traced: &Traced| {
        let finding = &traced.finding;
        let texts = (finding.summary.clone(), finding.title.clone(), finding.claim.clone());
        let place = (finding.path.clone(), finding.symbol.clone());
        (
            texts,
            place,
            finding.lines,
            traced.at.clone(),
            traced.version.clone(),
            finding.snippet.clone(),
        )
    };
    let sure = b.finding.confidence.total_cmp(&a.finding.confidence);
    sure.then_with(|| rest(a).cmp(&rest(b)))
}

fn item(mut group: Vec<Traced>) -> Item {
    group.sort_by(preference);
    group.dedup();
    let mut claims: Vec<&String> =
        group.iter().filter_map(|traced| traced.finding.claim.as_ref()).collect();
    claims.sort_unstable();
    claims.dedup();
    let is_conflict = claims.len() > 1;
    let mut conflict = Vec::new();
    if is_conflict {
        conflict = group.iter().filter(|traced| traced.finding.claim.is_some()).cloned().collect();
    }
    let mut traced = group.swap_remove(0);
    let summary = &traced.finding.summary;
    let cut = summary.char_indices().nth(SUMMARY_MAX).map(|(end, _)| end);
    if let Some(end) = cut {
        traced.finding.summary = format!("{}…", &summary[..end]);
    }
    Item { traced, truncated: cut.is_some(), conflict }
}

impl Item {
    /// The item as data, with its origin.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let Traced { tool, version, at, finding } = &self.traced;
        let mut item = Map::new();
        item.insert("tool".to_owned(), json!(tool));
        for (name, text) in
            [("path", &finding.path), ("symbol", &finding.symbol), ("title", &finding.title)]
        {
            if let Some(text) = text {
                item.insert(name.to_owned(), json!(text));
            }
        }
        if finding.lines.0 > 0 {
            item.insert("start_line".to_owned(), json!(finding.lines.0));
            item.insert("end_line".to_owned(), json!(finding.lines.1));
        }
        item.insert("summary".to_owned(), json!(finding.summary));
        item.insert("confidence".to_owned(), json!((finding.confidence * 1000.0).round() / 1000.0));
        item.insert("truncated".to_owned(), json!(self.truncated));
        item.insert("version".to_owned(), json!(version));
        item.insert("at".to_owned(), json!(at));
        if !self.conflict.is_empty() {
            let claim = |traced: &Traced| json!({ "claim": traced.finding.claim, "tool": traced.tool, "at": traced.at });
            item.insert("conflict".to_owned(), json!(true));
            item.insert("claims".to_owned(), self.conflict.iter().map(claim).collect());
        }
        Value::Object(item)
    }

    /// Its place as text: `src/a.rs:1-9 `name``.
    #[must_use]
    pub fn place(&self) -> String {
        let finding = &self.traced.finding;
        let path = finding.path.as_deref().unwrap_or("-");
        let lines = match finding.lines {
            (0, _) => String::new(),
            (first, last) if last > first => format!(":{first}-{last}"),
            (first, _) => format!(":{first}"),
        };
        let symbol =
            finding.symbol.as_ref().map(|symbol| format!(" `{symbol}`")).unwrap_or_default();
        let title = finding.title.as_ref().map(|title| format!(" {title}")).unwrap_or_default();
        format!("{path}{lines}{symbol}{title}")
    }
}

#[cfg(test)]
mod tests;
