//! `listDir`: lists the entries of a folder.

use std::fs;

use host::beneath::FileType;
use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Job, Spec};
use crate::tools::scope::{Listing, ignores_from};
use crate::workspace::open::{Fault, Kind, kind};
use crate::workspace::walk::{Depth, walk};

/// How many entries a result may have.
const ENTRIES_MAX: usize = 500;

pub(super) const LIST_DIR: Spec = Spec {
    name: "listDir",
    description: "List directory contents",
    access: Access::Reads,
    path: "path",
    schema,
    work: list,
    draft: None,
};

fn schema() -> Value {
    json!({
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
    })
}

fn list(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real, shown, workspace, stop, .. } = *job;
    match kind(real).map_err(|fault| fault.told(shown))? {
        Kind::Folder => {}
        Kind::File => return Err(format!("{shown} is a file, not a folder; readFile shows it.")),
    }
    let (mut folders, mut others) = (Vec::new(), Vec::new());
    let above = ignores_from(workspace, real);
    let left_out = walk(real, &above, Depth::One, stop, |entry| {
        let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
        match entry.kind {
            FileType::Directory => folders.push(format!("{name}/")),
            FileType::Symlink => {
                let target = fs::read_link(entry.path).unwrap_or_default();
                others.push(format!("{name} -> {}", target.display()));
            }
            _ => others.push(name.into_owned()),
        }
    })
    .map_err(|error| Fault::from(error).told(shown))?;
    let mut listing = Listing::new(ENTRIES_MAX);
    folders.into_iter().chain(others).for_each(|entry| listing.push(entry));
    let mut notes = Vec::new();
    if left_out.ignored > 0 {
        notes.push(format!("[{} left out: ignored, or version control]", left_out.ignored));
    }
    Ok(listing.outcome("No entries.", notes, left_out, stop))
}
