//! `search`: finds text, names and paths, ranked. Unless the caller sets the mode, it follows from the query's
//! form: `"quoted"` is literal, `/slashes/` a regular expression, a single
//! identifier a name, everything else words.

mod scan;
mod symbols;

use serde::Serialize;

use crate::answer::{Answer, Item};
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::graph::Graph;
use crate::rank::score::{Ranked, Ranking};
use crate::snippet::Excerpts;
use crate::tools::frame;
use crate::tools::rankings::Rankings;
use crate::view::View;

/// The most items of one answer.
pub const MAX_ITEMS: usize = 200;

/// How many lines a snippet has at most.
const SNIPPET_LINES: u32 = 20;

/// How a query is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Exactly this text.
    Literal,
    /// A regular expression, in Rust's syntax, line by line.
    Regex,
    /// A name: where it is defined, then where it is used.
    Identifier,
    /// Words: an issue, a question, a list of names.
    Words,
}

/// Whether items include source lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snippets {
    /// Yes.
    Shown,
    /// No.
    Left,
}

/// The request.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The text.
    pub query: String,
    /// How the query is interpreted; `None` to derive it from the query's form.
    pub mode: Option<Mode>,
    /// How many items to return, at most [`MAX_ITEMS`].
    pub limit: usize,
    /// Whether to return the items' lines.
    pub snippets: Snippets,
}

/// Searches.
///
/// # Errors
/// [`EngineError::EmptyQuestion`], [`EngineError::Pattern`], or when there is no index.
pub fn search(
    engine: &Engine,
    request: &SearchRequest,
    deadline: &Deadline,
) -> Result<Answer<Item>, EngineError> {
    search_in(&engine.view(deadline)?, request, &Rankings::default(), deadline)
}

/// Searches one view.
///
/// # Errors
/// As [`search`], but for the index.
pub fn search_in(
    view: &View,
    request: &SearchRequest,
    rankings: &Rankings,
    deadline: &Deadline,
) -> Result<Answer<Item>, EngineError> {
    let (mode, text) = meaning(request);
    if text.trim().is_empty() {
        return Err(EngineError::EmptyQuestion);
    }
    let limit = request.limit.clamp(1, MAX_ITEMS);
    frame::answer("search", view, deadline, |limits| {
        let items = match mode {
            Mode::Literal => scan::scan(view, &regex::escape(text), limit, deadline, limits)?,
            Mode::Regex => scan::scan(view, text, limit, deadline, limits)?,
            Mode::Identifier => symbols::named(view, text, limit, deadline, limits),
            Mode::Words => ranked(view, &rankings.of(view, text, deadline), limit, limits),
        };
        Ok(with_snippets(view, items, request.snippets, deadline, limits))
    })
}

fn with_snippets(
    view: &View,
    mut items: Vec<Item>,
    snippets: Snippets,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Vec<Item> {
    if snippets == Snippets::Shown {
        let mut excerpts = Excerpts::new(view);
        for item in &mut items {
            if deadline.passed() {
                limits.push("time was over before all snippets were read".to_owned());
                break;
            }
            item.snippet = excerpts.of_item(item, SNIPPET_LINES);
        }
    }
    items
}

/// The files that match a text, each with its best definition.
fn ranked(view: &View, ranking: &Ranking, limit: usize, limits: &mut Vec<String>) -> Vec<Item> {
    if ranking.truncated {
        limits.push("time was over before all words were looked up".to_owned());
    }
    let graph = Graph::new(view);
    ranking.files.iter().take(limit).map(|entry| item(&graph, entry)).collect()
}

/// A ranked file as an item: its best definition, or the file as a whole.
pub(crate) fn item(graph: &Graph<'_>, entry: &Ranked) -> Item {
    let file = graph.view().file(entry.file);
    let best = entry.best.iter().map(|(id, _)| *id).find(|id| id.unit > 0);
    let definition = best.map(|id| graph.definition(id));
    Item {
        path: file.path.to_owned(),
        symbol: best.map(|id| graph.qualified(id)),
        start_line: definition.map_or(0, |definition| definition.start_line),
        end_line: definition.map_or(0, |definition| definition.end_line),
        score: round(entry.score),
        why: entry.why.clone(),
        snippet: None,
    }
}

/// A score rounded to its significant digits.
pub(crate) fn round(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

fn meaning(request: &SearchRequest) -> (Mode, &str) {
    let text = request.query.trim();
    if let Some(mode) = request.mode {
        return (mode, text);
    }
    let between = |mark: char| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.is_empty() && !inner.contains(mark)).then_some(inner)
    };
    let name = |letter: char| letter.is_ascii_alphanumeric() || "_:.#".contains(letter);
    let identifier = !text.is_empty()
        && text.chars().all(name)
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    match (between('"'), between('/')) {
        (Some(inner), _) => (Mode::Literal, inner),
        (_, Some(inner)) => (Mode::Regex, inner),
        _ if identifier => (Mode::Identifier, text),
        _ => (Mode::Words, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_query_is_written_says_what_it_means() {
        let check = |query: &str, mode: Mode, text: &str| {
            let query = query.to_owned();
            let request = SearchRequest { query, mode: None, limit: 1, snippets: Snippets::Left };
            assert_eq!(meaning(&request), (mode, text));
        };
        check("\"a b\"", Mode::Literal, "a b");
        check("/a.*b/", Mode::Regex, "a.*b");
        check("/usr/lib/x", Mode::Words, "/usr/lib/x");
        check("Parser::next", Mode::Identifier, "Parser::next");
        check("parse_args", Mode::Identifier, "parse_args");
        check("how is it parsed", Mode::Words, "how is it parsed");
        check("修复登录", Mode::Words, "修复登录");
    }
}
