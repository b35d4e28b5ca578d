//! `readFile`: a text file with line numbers, or a part of it.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::blocking;
use crate::tools::input;
use crate::tools::seen::Seen;
use crate::workspace::Workspace;
use crate::workspace::open::open;
use crate::workspace::text::content;

/// The most lines of one result.
const LINES_MAX: usize = 2_000;

/// The most characters of one result: a longer one would lose its middle on the way to the model.
const CHARS_MAX: usize = 30_000;

/// Of these, what is kept for the note at the end.
const CHARS_OF_NOTE: usize = 300;

/// The tool.
pub(super) struct ReadFile {
    workspace: Workspace,
    seen: Arc<Seen>,
}

impl ReadFile {
    pub(super) fn new(workspace: &Workspace, seen: &Arc<Seen>) -> Self {
        Self { workspace: workspace.clone(), seen: seen.clone() }
    }
}

impl Tool for ReadFile {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "readFile".to_owned(),
            description:
                "Read the contents of a file at the given path. Returns the file content with \
                          line numbers."
                    .to_owned(),
            schema: json!({
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
            }),
        }
    }

    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        Action::Read { path: input::real(&self.workspace, arguments, "filePath") }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let real = input::place(call.action);
        let offset = input::number(call.arguments, "offset").unwrap_or(1).max(1);
        let limit = input::number(call.arguments, "limit").unwrap_or(LINES_MAX).clamp(1, LINES_MAX);
        let (workspace, seen) = (self.workspace.clone(), self.seen.clone());
        Box::pin(blocking(call.cancel, move |_| {
            let shown = workspace.shown(&real);
            read(&real, &shown, offset, limit, &seen).map_or_else(Outcome::error, Outcome::ok)
        }))
    }
}

fn read(
    real: &Path,
    shown: &str,
    offset: usize,
    limit: usize,
    seen: &Seen,
) -> Result<String, String> {
    let bytes =
        open(real).and_then(|mut opened| opened.read()).map_err(|fault| fault.told(shown))?;
    let content = content(&bytes);
    let text = content.text(shown, bytes.len())?;
    let told = numbered(text.body, shown, offset, limit)?;
    seen.saw(real, &bytes);
    Ok(told)
}

/// Lines from `offset` on, each behind its number, and where to go on if they are not the last and more were
/// asked for.
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
    // A limit that was asked for is no news.
    let is_cut = next - offset < limit || limit == LINES_MAX;
    if is_cut && next <= lines {
        told.push_str(&format!(
            "\n[lines {offset}-{} of {lines}; go on with offset {next}]",
            next - 1
        ));
    }
    Ok(told)
}
