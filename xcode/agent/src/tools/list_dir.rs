//! `listDir`: what is in a folder.

use std::fs;

use futures_util::future::BoxFuture;
use host::beneath::FileType;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::blocking;
use crate::tools::input;
use crate::tools::scope::{Listing, ignores_from};
use crate::workspace::Workspace;
use crate::workspace::open::{Fault, Kind, kind};
use crate::workspace::walk::{Depth, walk};

/// The most entries of a result.
const ENTRIES_MAX: usize = 500;

/// The tool.
pub(super) struct ListDir {
    workspace: Workspace,
}

impl ListDir {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone() }
    }
}

impl Tool for ListDir {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "listDir".to_owned(),
            description: "List directory contents".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Absolute path to the directory"
                    }
                },
                "required": ["path"],
                "additionalProperties": false
            }),
        }
    }

    fn is_reading(&self) -> bool {
        true
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        Action::Read { path: input::real(&self.workspace, arguments, "path") }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let real = input::place(call.action);
        let workspace = self.workspace.clone();
        Box::pin(blocking(call.cancel, move |stop| {
            let shown = workspace.shown(&real);
            match kind(&real) {
                Ok(Kind::Folder) => {}
                Ok(Kind::File) => {
                    return Outcome::error(format!(
                        "{shown} is a file, not a folder; readFile shows it."
                    ));
                }
                Err(fault) => return Outcome::error(fault.told(&shown)),
            }
            let (mut folders, mut others) = (Vec::new(), Vec::new());
            let above = ignores_from(&workspace, &real);
            let walked = walk(&real, &above, Depth::One, stop, |entry| {
                let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
                match entry.kind {
                    FileType::Directory => folders.push(format!("{name}/")),
                    FileType::Symlink => {
                        let target = fs::read_link(entry.path).unwrap_or_default();
                        others.push(format!("{name} -> {}", target.display()));
                    }
                    _ => others.push(name.into_owned()),
                }
            });
            let left_out = match walked {
                Ok(left_out) => left_out,
                Err(error) => return Outcome::error(Fault::from(error).told(&shown)),
            };
            let mut listing = Listing::new(ENTRIES_MAX);
            folders.into_iter().chain(others).for_each(|entry| listing.push(entry));
            let mut notes = Vec::new();
            if left_out.ignored > 0 {
                notes.push(format!("[{} left out: ignored, or version control]", left_out.ignored));
            }
            listing.outcome("No entries.", notes, left_out, stop)
        }))
    }
}
