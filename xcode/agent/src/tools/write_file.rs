//! `writeFile`: makes a file, or replaces it whole.

use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Job, Spec};
use crate::tools::input;
use crate::tools::masks::new_mask;
use crate::tools::seen::Known;
use crate::workspace::open::Fault;
use crate::workspace::whole::{Held, create};

/// The tool.
pub(super) const WRITE_FILE: Spec = Spec {
    name: "writeFile",
    description: "Create or overwrite files",
    access: Access::Writes,
    path: "filePath",
    schema,
    work: write,
};

fn schema() -> Value {
    json!({
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
    })
}

fn write(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real, shown, arguments, seen, stop, .. } = *job;
    let text = input::text(arguments, "content");
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
    let lines = text.lines().count();
    Ok(Outcome::ok(format!("{did} {shown}: {lines} lines, {} bytes.", text.len())))
}
