//! `edit`: replaces text of a file that was read in this session.

mod nearest;
mod replace;

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::{blocking, interrupted};
use crate::tools::input;
use crate::tools::masks::new_mask;
use crate::tools::seen::{Known, Seen};
use crate::workspace::Workspace;
use crate::workspace::open::Fault;
use crate::workspace::stop::Stop;
use crate::workspace::text::content;
use crate::workspace::whole::Held;

/// The most line numbers that are told.
const LINES_TOLD: usize = 20;

/// The tool.
pub(super) struct Edit {
    workspace: Workspace,
    seen: Arc<Seen>,
}

/// What is to be replaced.
struct Wanted {
    old: String,
    new: String,
    extent: Extent,
}

/// How many places may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    One,
    All,
}

impl Edit {
    pub(super) fn new(workspace: &Workspace, seen: &Arc<Seen>) -> Self {
        Self { workspace: workspace.clone(), seen: seen.clone() }
    }
}

impl Tool for Edit {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "edit".to_owned(),
            description:
                "Replace specific strings in files (preferred over writeFile for modifications)"
                    .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "filePath": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Absolute path to the file; it must have been read in this session"
                    },
                    "oldString": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The exact text to replace, without line numbers"
                    },
                    "newString": {
                        "type": "string",
                        "description": "What takes its place"
                    },
                    "replaceAll": {
                        "type": "boolean",
                        "description": "Replace every match; without it there must be exactly one"
                    }
                },
                "required": ["filePath", "oldString", "newString"],
                "additionalProperties": false
            }),
        }
    }

    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        Action::Write { path: input::real(&self.workspace, arguments, "filePath") }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let real = input::place(call.action);
        let is_all = input::is_on(call.arguments, "replaceAll");
        let wanted = Wanted {
            old: input::text(call.arguments, "oldString").to_owned(),
            new: input::text(call.arguments, "newString").to_owned(),
            extent: if is_all { Extent::All } else { Extent::One },
        };
        let (workspace, seen) = (self.workspace.clone(), self.seen.clone());
        Box::pin(blocking(call.cancel, move |stop| {
            if stop.is_now() {
                return interrupted();
            }
            let shown = workspace.shown(&real);
            match edit(&real, &shown, &wanted, &seen, stop) {
                Ok(told) => Outcome { changed: vec![real], ..Outcome::ok(told) },
                Err(_) if stop.is_cancelled() => interrupted(),
                Err(told) => Outcome::error(told),
            }
        }))
    }
}

fn edit(
    real: &Path,
    shown: &str,
    wanted: &Wanted,
    seen: &Seen,
    stop: &Stop,
) -> Result<String, String> {
    let told = |fault: Fault| fault.told(shown);
    if wanted.old.is_empty() {
        return Err("oldString is empty; writeFile makes a file or replaces it whole.".to_owned());
    }
    if wanted.old == wanted.new {
        return Err("oldString and newString are the same; nothing was changed.".to_owned());
    }
    let Some(held) = Held::open(real).map_err(told)? else {
        return Err(format!("{shown} does not exist; writeFile makes it."));
    };
    match seen.known(real, &held.bytes) {
        Known::Unread => {
            return Err(format!("{shown} was not read in this session; read it first."));
        }
        Known::Changed => return Err(Fault::Changed.told(shown)),
        Known::Unchanged => {}
    }
    let content = content(&held.bytes);
    let text = content.text(shown, held.bytes.len())?;
    let places = replace::find(text.body, &wanted.old);
    match (places.len(), wanted.extent) {
        (0, _) => return Err(no_match(text.body, &wanted.old, shown)),
        (2.., Extent::One) => {
            return Err(format!(
                "{} matches ({}); give more context or set replaceAll.",
                places.len(),
                lines(&places.lines())
            ));
        }
        (_, Extent::One | Extent::All) => {}
    }
    let body = places.replace(&wanted.new);
    if let Some(mask) = new_mask(text.body, &body) {
        return Err(mask.told(shown));
    }
    if body == text.body {
        return Err(format!(
            "oldString and newString differ only in ends of line, and {shown} keeps its own; nothing was \
             changed."
        ));
    }
    let (count, at) = (places.len(), lines(&places.lines()));
    let whole = [text.bom.as_bytes(), body.as_bytes()].concat();
    held.replace(&whole, stop).map_err(told)?;
    seen.saw(real, &whole);
    let matches = if count == 1 { "match" } else { "matches" };
    Ok(format!("Replaced {count} {matches} in {shown} ({at})."))
}

fn no_match(body: &str, old: &str, shown: &str) -> String {
    let told = format!("0 matches for oldString in {shown}.");
    if without_numbers(old).is_some_and(|old| replace::find(body, &old).len() > 0) {
        return format!(
            "{told} It begins with the line numbers that readFile adds; leave them out."
        );
    }
    match nearest::find(body, old) {
        Some(nearest) => format!("{told} {nearest}"),
        None => told,
    }
}

/// A text without the number and tab that each of its lines begins with; none where one does not.
fn without_numbers(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (number, rest) = line.split_once('\t')?;
        number.trim_start().parse::<u32>().ok()?;
        plain.push_str(rest);
    }
    Some(plain)
}

/// `line 4`, `lines 4, 19, 77`.
fn lines(numbers: &[usize]) -> String {
    let mut told: Vec<String> = numbers.iter().take(LINES_TOLD).map(usize::to_string).collect();
    if numbers.len() > LINES_TOLD {
        told.push(format!("and {} more", numbers.len() - LINES_TOLD));
    }
    let word = if numbers.len() == 1 { "line" } else { "lines" };
    format!("{word} {}", told.join(", "))
}
