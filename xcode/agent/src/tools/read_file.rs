//! `readFile`: a text file with line numbers, or a part of it.

use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Job, Spec};
use crate::tools::input;
use crate::workspace::open::open;
use crate::workspace::text::content;

/// How many lines a result may have.
const LINES_MAX: usize = 2_000;

/// How many characters a result may have: the middle of a longer one would be removed before it reaches the model.
const CHARS_MAX: usize = 30_000;

/// How many of these are reserved for the note at the end.
const CHARS_OF_NOTE: usize = 300;

pub(super) const READ_FILE: Spec = Spec {
    name: "readFile",
    description: "Read the contents of a file at the given path. Returns the file content with line numbers.",
    access: Access::Reads,
    path: "filePath",
    schema,
    work: read,
    draft: None,
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "filePath": {
                "type": "string",
                "minLength": 1,
                "description": "Absolute path to the file"
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "Start line (1-based)"
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": "Max lines to read"
            }
        },
        "required": ["filePath"],
        "additionalProperties": false
    })
}

fn read(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real, shown, arguments, seen, .. } = *job;
    let offset = input::number(arguments, "offset").unwrap_or(1).max(1);
    let limit = input::number(arguments, "limit").unwrap_or(LINES_MAX).clamp(1, LINES_MAX);
    let bytes =
        open(real).and_then(|mut opened| opened.read()).map_err(|fault| fault.told(shown))?;
    let content = content(&bytes);
    let text = content.text(shown, bytes.len())?;
    let told = numbered(text.body, shown, offset, limit)?;
    seen.saw(real, &bytes);
    Ok(Outcome::ok(told))
}

/// The numbered lines from `offset` on, and where to continue if the file has more lines and more were
/// requested.
fn numbered(body: &str, shown: &str, offset: usize, limit: usize) -> Result<String, String> {
    if body.is_empty() {
        return Ok(format!("{shown} is empty."));
    }
    let lines = body.lines().count();
    if offset > lines {
        return Err(format!("{shown} has {lines} lines; offset {offset} is behind the last."));
    }
    let mut told = String::new();
    let mut room = CHARS_MAX - CHARS_OF_NOTE;
    let mut next = offset;
    for line in body.lines().skip(offset - 1).take(limit) {
        let number = format!("{next}\t");
        let chars = number.len() + line.chars().count() + 1;
        if chars > room {
            if next == offset {
                let kept: String = line.chars().take(room - number.len() - 1).collect();
                told = format!(
                    "{number}{kept}\n[line {next} has {} characters; the first {} are shown]\n",
                    line.chars().count(),
                    kept.chars().count()
                );
                next += 1;
            }
            break;
        }
        room -= chars;
        told.push_str(&number);
        told.push_str(line);
        told.push('\n');
        next += 1;
    }
    told.pop();
    // A limit that was requested is not reported.
    let is_cut = next - offset < limit || limit == LINES_MAX;
    if is_cut && next <= lines {
        told.push_str(&format!(
            "\n[lines {offset}-{} of {lines}; go on with offset {next}]",
            next - 1
        ));
    }
    Ok(told)
}
