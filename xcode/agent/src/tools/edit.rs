//! `edit`: replaces text in a file that was read in this session.

mod nearest;
mod replace;

use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Draft, Job, Spec};
use crate::tools::input;
use crate::tools::masks::new_mask;
use crate::tools::seen::Known;
use crate::workspace::open::Fault;
use crate::workspace::text::content;
use crate::workspace::whole::Held;

/// How many line numbers are listed.
const LINES_TOLD: usize = 20;

/// How many occurrences may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    One,
    All,
}

pub(super) const EDIT: Spec = Spec {
    name: "edit",
    description: "Replace specific strings in files (preferred over writeFile for modifications)",
    access: Access::Writes,
    path: "filePath",
    schema,
    work: edit,
    draft: Some(draft),
};

fn schema() -> Value {
    json!({
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
    })
}

/// A locked file, and the result of an edit.
struct Edited {
    held: Held,
    whole: String,
    /// The number of replaced occurrences, and their lines.
    count: usize,
    at: String,
}

fn draft(job: &Job<'_>) -> Result<Draft, String> {
    let Edited { held, whole, .. } = edited(job)?;
    let old = String::from_utf8(held.bytes).map_err(|_| Fault::Changed.told(job.shown))?;
    Ok(Draft { old: Some(old), new: whole })
}

fn edit(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real, shown, seen, stop, instead, .. } = *job;
    let Edited { held, mut whole, count, at } = edited(job)?;
    let matches = if count == 1 { "match" } else { "matches" };
    let mut told = format!("Replaced {count} {matches} in {shown} ({at}).");
    if let Some(instead) = instead {
        instead.check(&held.bytes).map_err(|()| Fault::Changed.told(shown))?;
        whole.clone_from(&instead.new);
        told = format!("Changed {shown} in part. {}", instead.told);
    }
    held.replace(whole.as_bytes(), stop).map_err(|fault| fault.told(shown))?;
    seen.saw(real, whole.as_bytes());
    Ok(Outcome::ok(told))
}

/// The file's content after the edit; nothing is written.
fn edited(job: &Job<'_>) -> Result<Edited, String> {
    let Job { real, shown, arguments, seen, .. } = *job;
    let is_all = input::is_on(arguments, "replaceAll");
    let (old, new) = (input::text(arguments, "oldString"), input::text(arguments, "newString"));
    let extent = if is_all { Extent::All } else { Extent::One };
    let told = |fault: Fault| fault.told(shown);
    if old.is_empty() {
        return Err("oldString is empty; writeFile makes a file or replaces it whole.".to_owned());
    }
    if old == new {
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
    let places = replace::find(text.body, old);
    match (places.len(), extent) {
        (0, _) => return Err(no_match(text.body, old, shown)),
        (2.., Extent::One) => {
            return Err(format!(
                "{} matches ({}); give more context or set replaceAll.",
                places.len(),
                lines(&places.lines())
            ));
        }
        (_, Extent::One | Extent::All) => {}
    }
    let body = places.replace(new);
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
    let whole = [text.bom, &body].concat();
    Ok(Edited { held, whole, count, at })
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

/// The text without the number and tab at the beginning of each line; none if a line does not have them.
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
