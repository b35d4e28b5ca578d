//! Searches the files' text: every text file is read, in parallel. Lines are compared one by
//! one, so that a file of one enormous line costs no more than its size.

use rayon::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

use super::round;
use crate::answer::Item;
use crate::deadline::Deadline;
use crate::engine::EngineError;
use crate::graph::Graph;
use crate::view::{File, FileId, View};

/// The largest compiled expression, in bytes.
const MAX_PATTERN_BYTES: usize = 4 * 1024 * 1024;
/// How many lines of one file are returned.
const MAX_LINES: usize = 5;
/// How many matches of one file are counted.
const MAX_COUNTED: usize = 1_000;

struct Found {
    file: FileId,
    lines: Vec<u32>,
    count: usize,
}

/// The lines that match an expression, best files first.
pub(super) fn scan(
    view: &View,
    pattern: &str,
    limit: usize,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Result<Vec<Item>, EngineError> {
    let regex = RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_PATTERN_BYTES)
        .build()
        .map_err(|error| EngineError::Pattern { message: error.to_string() })?;
    let files: Vec<File<'_>> = view.files().filter(|file| file.is_text).collect();
    let results: Vec<Option<Found>> =
        files.par_iter().map(|file| look(view, file.id, &regex, deadline)).collect();
    if results.iter().any(Option::is_none) {
        limits.push("time was over before all files were read".to_owned());
    }
    let mut found: Vec<(f32, Found)> = results
        .into_iter()
        .flatten()
        .filter(|found| found.count > 0)
        .map(|found| (score(view, &found), found))
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.file.cmp(&other.1.file)));
    let graph = Graph::new(view);
    let mut items = Vec::new();
    'files: for (score, found) in &found {
        for line in &found.lines {
            if items.len() == limit {
                limits.push(format!("only the best {limit} lines are here"));
                break 'files;
            }
            items.push(item(&graph, found, *line, *score));
        }
    }
    Ok(items)
}

fn look(view: &View, id: FileId, regex: &Regex, deadline: &Deadline) -> Option<Found> {
    if deadline.passed() {
        return None;
    }
    let content = view.read(id).unwrap_or_default();
    let mut found = Found { file: id, lines: Vec::new(), count: 0 };
    let (mut counted_to, mut line) = (0, 1_u32);
    for matched in regex.find_iter(&content).take(MAX_COUNTED) {
        found.count += 1;
        if found.lines.len() < MAX_LINES {
            let before = &content[counted_to..matched.start()];
            line += before.iter().filter(|byte| **byte == b'\n').count() as u32;
            counted_to = matched.start();
            if found.lines.last() != Some(&line) {
                found.lines.push(line);
            }
        }
    }
    Some(found)
}

fn score(view: &View, found: &Found) -> f32 {
    let file = view.file(found.file);
    let source = if file.language.is_some() { 1.0 } else { 0.5 };
    let test = if file.is_test { 0.5 } else { 1.0 };
    (1.0 + (found.count as f32).ln()) * source * test
}

fn item(graph: &Graph<'_>, found: &Found, line: u32, score: f32) -> Item {
    let around = graph.enclosing(found.file, line);
    Item {
        path: graph.view().file(found.file).path.to_owned(),
        symbol: around.map(|id| graph.qualified(id)),
        start_line: line,
        end_line: line,
        score: round(score),
        why: vec![format!("{} matches in the file", found.count)],
        snippet: None,
    }
}
