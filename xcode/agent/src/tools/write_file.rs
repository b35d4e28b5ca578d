//! `writeFile`: makes a file, or replaces it whole.

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
use crate::workspace::whole::{Held, create};

/// The tool.
pub(super) struct WriteFile {
    workspace: Workspace,
    seen: Arc<Seen>,
}

impl WriteFile {
    pub(super) fn new(workspace: &Workspace, seen: &Arc<Seen>) -> Self {
        Self { workspace: workspace.clone(), seen: seen.clone() }
    }
}

impl Tool for WriteFile {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "writeFile".to_owned(),
            description: "Create or overwrite files".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "filePath": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Absolute path to the file; missing folders are made"
                    },
                    "content": {
                        "type": "string",
                        "description": "The whole content of the file"
                    }
                },
                "required": ["filePath", "content"],
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
        let text = input::text(call.arguments, "content").to_owned();
        let (workspace, seen) = (self.workspace.clone(), self.seen.clone());
        Box::pin(blocking(call.cancel, move |stop| {
            if stop.is_now() {
                return interrupted();
            }
            let shown = workspace.shown(&real);
            match write(&real, &shown, &text, &seen, stop) {
                Ok(told) => Outcome { changed: vec![real], ..Outcome::ok(told) },
                Err(_) if stop.is_cancelled() => interrupted(),
                Err(told) => Outcome::error(told),
            }
        }))
    }
}

fn write(real: &Path, shown: &str, text: &str, seen: &Seen, stop: &Stop) -> Result<String, String> {
    let told = |fault: Fault| fault.told(shown);
    let old = Held::open(real).map_err(told)?;
    let before = old.as_ref().map(|held| String::from_utf8_lossy(&held.bytes));
    if let Some(mask) = new_mask(before.as_deref().unwrap_or_default(), text) {
        return Err(mask.told(shown));
    }
    let did = match old {
        None => {
            create(real, text.as_bytes(), stop).map_err(told)?;
            "Created"
        }
        Some(held) => {
            // Unread is allowed: whoever replaces a whole file need not know the old one. What was read and is
            // another now holds work that the model does not know of.
            if seen.known(real, &held.bytes) == Known::Changed {
                return Err(Fault::Changed.told(shown));
            }
            held.replace(text.as_bytes(), stop).map_err(told)?;
            "Replaced"
        }
    };
    seen.saw(real, text.as_bytes());
    Ok(format!("{did} {shown}: {} lines, {} bytes.", text.lines().count(), text.len()))
}
