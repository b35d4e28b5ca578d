//! Searches names: where one is defined, similar names, where it is used, and files of that name.

use super::{item, round};
use crate::answer::Item;
use crate::deadline::Deadline;
use crate::graph::{DefId, Graph};
use crate::rank::query::Query;
use crate::rank::score::rank;
use crate::view::View;

/// Weight of a definition of exactly the name, against one of a similar name.
const EXACT: f32 = 100.0;
const LIKE: f32 = 50.0;

/// Definitions with the name first, then with a name that contains it, then the files that use it.
pub(super) fn named(
    view: &View,
    name: &str,
    limit: usize,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Vec<Item> {
    let graph = Graph::new(view);
    let mut items: Vec<Item> = Vec::new();
    let mut exact = graph.named(name);
    exact.sort_by_key(|id| (view.file(id.file).is_test, *id));
    for id in exact {
        items.push(definition(&graph, id, EXACT, "defines the name"));
    }
    for id in graph.named_like(name, limit) {
        let known = |item: &Item| item.symbol.as_deref() == Some(graph.qualified(id).as_str());
        if !items.iter().any(known) {
            items.push(definition(&graph, id, LIKE, "defines a name that contains it"));
        }
    }
    if items.len() < limit {
        let ranking = rank(view, &Query::new(name), deadline);
        if ranking.truncated {
            limits.push("time was over before all words were looked up".to_owned());
        }
        for entry in ranking.files.iter().take(limit) {
            let path = view.file(entry.file).path;
            if !items.iter().any(|item| item.path == path) {
                items.push(item(&graph, entry));
            }
        }
    }
    items.sort_by(|one, other| other.score.total_cmp(&one.score));
    items.truncate(limit);
    items
}

fn definition(graph: &Graph<'_>, id: DefId, worth: f32, why: &str) -> Item {
    let view = graph.view();
    let definition = graph.definition(id);
    let file = view.file(id.file);
    let uses = graph.user_count(definition.name) as f32;
    let test = if file.is_test { 0.5 } else { 1.0 };
    Item {
        path: file.path.to_owned(),
        symbol: Some(graph.qualified(id)),
        start_line: definition.start_line,
        end_line: definition.end_line,
        score: round((worth + (1.0 + uses).ln()) * test),
        why: vec![format!("{why} ({})", definition.kind.name())],
        snippet: None,
    }
}
