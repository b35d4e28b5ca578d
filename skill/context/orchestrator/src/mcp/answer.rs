//! Extracts findings from a server's answer: structured content, JSON in a text, or prose that names
//! files. Field names are those that code tools use; a place counts only if the file exists.

use intent::root::Root;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::tool::{Finding, Found, ToolFault};

/// The most findings of one answer; the report shows a dozen.
const FINDINGS_MAX: usize = 50;
/// Maximum size of the text of one answer that is parsed, in bytes.
const TEXT_MAX: usize = 256 * 1024;
/// Maximum size of a text without places, in bytes.
const PROSE_MAX: usize = 4_000;
/// Fields that contain the items.
const ITEMS: &[&str] = &[
    "items",
    "results",
    "matches",
    "nodes",
    "symbols",
    "files",
    "findings",
    "hits",
    "locations",
    "suspects",
    "functions",
    "hotspots",
    "callers",
    "callees",
    "affected",
    "data",
    "result",
];
/// Fields that contain prose.
const TEXTS: &[&str] = &["content", "text", "result", "output", "answer", "data", "message"];
const PATH: &[&str] =
    &["path", "file", "filePath", "file_path", "filename", "relativePath", "relative_path", "uri"];
const SYMBOL: &[&str] = &["symbol", "name", "qualifiedName", "qualified_name", "function"];
const START: &[&str] = &["start_line", "startLine", "line", "lineNumber", "line_number", "start"];
const END: &[&str] = &["end_line", "endLine", "end"];
const SNIPPET: &[&str] =
    &["snippet", "code", "source", "body", "content", "text", "preview", "lineContent"];
const SUMMARY: &[&str] =
    &["summary", "why", "reason", "description", "message", "signature", "docstring", "kind"];
/// Fields with a claim, of which two different ones about the same place are a conflict.
const CLAIM: &[&str] = &["claim", "verdict", "conclusion"];
const SCORE: &[&str] = &["score", "confidence", "relevance", "similarity"];

/// The findings in a server's answer.
///
/// # Errors
/// [`ToolFault::Unavailable`] if it reports an error.
pub(super) fn found(
    result: &CallToolResult,
    root: &Root,
    version: String,
) -> Result<Found, ToolFault> {
    let text = text(result);
    if result.is_error == Some(true) {
        let first = text.lines().find(|line| !line.trim().is_empty());
        return Err(ToolFault::Unavailable(first.unwrap_or("it failed").to_owned()));
    }
    let value = result.structured_content.clone().or_else(|| serde_json::from_str(&text).ok());
    let mut reader = Reader { root, elsewhere: 0, findings: Vec::new() };
    match &value {
        Some(value) => reader.value(value),
        None => reader.told(&text),
    }
    let mut limits = Vec::new();
    if reader.elsewhere > 0 {
        limits.push(format!("{} places that are not in the repository left out", reader.elsewhere));
    }
    let summary = match reader.findings.len() {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    Ok(Found { version, summary, findings: ranked(reader.findings), limits, context: None })
}

fn text(result: &CallToolResult) -> String {
    let mut text = String::new();
    for block in &result.content {
        if let ContentBlock::Text(block) = block {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&block.text);
        }
    }
    text.truncate(text.floor_char_boundary(TEXT_MAX));
    text
}

/// A text without places becomes one statement.
fn statement(text: &str) -> Option<Finding> {
    let text = text.trim();
    let first = text.lines().next()?.trim();
    let summary: String = first.chars().take(240).collect();
    let snippet = text[..text.floor_char_boundary(PROSE_MAX)].to_owned();
    Some(Finding {
        title: Some(summary.clone()),
        summary,
        confidence: 0.3,
        snippet: Some(snippet),
        ..Finding::default()
    })
}

/// Confidence relative to the best; by rank if there are no scores.
fn ranked(mut findings: Vec<Finding>) -> Vec<Finding> {
    let top = findings.iter().map(|finding| finding.confidence).fold(0.0, f64::max);
    let count = findings.len() as f64;
    for (rank, finding) in findings.iter_mut().enumerate() {
        finding.confidence = if top > 0.0 {
            (finding.confidence / top).clamp(0.0, 1.0)
        } else {
            0.8 * (1.0 - rank as f64 / count)
        };
    }
    findings
}

struct Reader<'r> {
    root: &'r Root,
    /// Number of places outside of the root.
    elsewhere: usize,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.item(item)),
            Value::Object(fields) => {
                let lists: Vec<&Value> =
                    ITEMS.iter().filter_map(|name| fields.get(*name)).collect();
                let nested = lists.iter().filter(|it| it.is_array() || it.is_object());
                let mut is_list = false;
                for list in nested {
                    is_list = true;
                    self.value(list);
                }
                if is_list {
                    return;
                }
                let found = self.findings.len() + self.elsewhere;
                self.item(value);
                let told = TEXTS.iter().find_map(|name| fields.get(*name)?.as_str());
                if let Some(text) = told.filter(|_| self.findings.len() + self.elsewhere == found) {
                    self.told(text);
                }
            }
            Value::String(text) => self.told(text),
            _ => {}
        }
    }

    fn item(&mut self, item: &Value) {
        match item {
            Value::String(text) => self.prose(text),
            Value::Object(fields) => {
                let inner = ["location", "node", "symbol", "range"];
                let inner = inner.iter().filter_map(|name| fields.get(*name)?.as_object());
                let layers: Vec<&Map<String, Value>> =
                    std::iter::once(fields).chain(inner).collect();
                self.place(&layers);
            }
            _ => {}
        }
    }

    /// Adds a finding from an object and its nested objects.
    fn place(&mut self, layers: &[&Map<String, Value>]) {
        let text = |names: &[&str]| {
            let all =
                layers.iter().flat_map(|layer| names.iter().filter_map(|name| layer.get(*name)));
            all.filter_map(Value::as_str).find(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let number = |names: &[&str]| {
            let all =
                layers.iter().flat_map(|layer| names.iter().filter_map(|name| layer.get(*name)));
            all.filter_map(|value| value.as_f64().or_else(|| value.get("line")?.as_f64())).next()
        };
        let line = |names: &[&str]| number(names).map(|line| line.max(0.0) as u32);
        let path = match text(PATH) {
            Some(path) => match self.relative(&path) {
                Some(path) => Some(path),
                None => return self.elsewhere += 1,
            },
            None => None,
        };
        let (symbol, summary) = (text(SYMBOL), text(SUMMARY));
        if path.is_none() && symbol.is_none() {
            return;
        }
        let start = line(START).unwrap_or(0);
        self.push(Finding {
            path,
            symbol,
            title: None,
            lines: (start, line(END).unwrap_or(start).max(start)),
            summary: summary.unwrap_or_else(|| "named by the server".to_owned()),
            confidence: number(SCORE).unwrap_or(0.0),
            snippet: text(SNIPPET),
            claim: text(CLAIM),
        });
    }

    /// Adds findings from a text: the files that it names, or else the text itself.
    fn told(&mut self, text: &str) {
        self.prose(text);
        if self.findings.is_empty() && self.elsewhere == 0 {
            self.findings.extend(statement(text));
        }
    }

    /// The files that a text names, line by line.
    fn prose(&mut self, text: &str) {
        for line in text.lines() {
            let words =
                line.split(|char: char| char.is_whitespace() || "`'\"()[]{}<>,;*|".contains(char));
            for word in words.filter(|word| word.contains(['.', '/'])) {
                let (path, lines) = with_lines(word.trim_end_matches(['.', ':', '!', '?']));
                let Some(path) = self.relative(path) else { continue };
                let known = |known: &Finding| {
                    known.path.as_deref() == Some(path.as_str()) && known.lines == lines
                };
                if !self.findings.iter().any(known) {
                    let summary: String = line.trim().chars().take(240).collect();
                    self.push(Finding { path: Some(path), lines, summary, ..Finding::default() });
                }
                break;
            }
        }
    }

    fn push(&mut self, finding: Finding) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// A file of the repository, by its path from the root.
    fn relative(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        self.root.relative(std::path::Path::new(path.strip_prefix("./").unwrap_or(path)))
    }
}

/// Splits `src/a.rs:3:14` or `src/a.rs:3-9` into a file and its lines.
fn with_lines(word: &str) -> (&str, (u32, u32)) {
    let Some((path, rest)) = word.split_once(':').filter(|(path, _)| !path.is_empty()) else {
        return (word, (0, 0));
    };
    if path == "file" {
        return (word, (0, 0));
    }
    let rest = rest.trim_start_matches(['L', 'l']);
    let digits = |text: &str| {
        let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
        (text[..end].parse::<u32>().unwrap_or(0), end)
    };
    let (start, end) = digits(rest);
    let last = rest[end..].strip_prefix('-').map_or(start, |rest| digits(rest).0);
    (path, (start, last.max(start)))
}

#[cfg(test)]
mod tests;
