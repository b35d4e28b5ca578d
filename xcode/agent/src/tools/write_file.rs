//! `writeFile`: creates a file, or replaces its whole content.

use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Draft, Job, Spec};
use crate::tools::input;
use crate::tools::masks::new_mask;
use crate::tools::seen::Known;
use crate::workspace::open::Fault;
use crate::workspace::whole::{Held, create};

pub(super) const WRITE_FILE: Spec = Spec {
    name: "writeFile",
    description: "Create or overwrite files",
    access: Access::Writes,
    path: "filePath",
    schema,
    work: write,
    draft: Some(draft),
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

fn draft(job: &Job<'_>) -> Result<Draft, String> {
    let old = held(job)?.map(|held| String::from_utf8_lossy(&held.bytes).into_owned());
    Ok(Draft { old, new: input::text(job.arguments, "content").to_owned() })
}

fn write(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real, shown, arguments, seen, stop, instead, .. } = *job;
    let told = |fault: Fault| fault.told(shown);
    let old = held(job)?;
    let text = match instead {
        Some(instead) => {
            let now = old.as_ref().map_or(&[][..], |held| &held.bytes);
            instead.check(now).map_err(|()| Fault::Changed.told(shown))?;
            instead.new.as_str()
        }
        None => input::text(arguments, "content"),
    };
    let did = match old {
        None => {
            create(real, text.as_bytes(), stop).map_err(told)?;
            "Created"
        }
        Some(held) => {
            held.replace(text.as_bytes(), stop).map_err(told)?;
            "Replaced"
        }
    };
    seen.saw(real, text.as_bytes());
    let lines = text.lines().count();
    let told = format!("{did} {shown}: {lines} lines, {} bytes.", text.len());
    Ok(Outcome::ok(match instead {
        Some(instead) => format!("{told} {}", instead.told),
        None => told,
    }))
}

/// The file to be replaced, locked; none if it does not exist.
fn held(job: &Job<'_>) -> Result<Option<Held>, String> {
    let Job { real, shown, arguments, seen, .. } = *job;
    let held = Held::open(real).map_err(|fault| fault.told(shown))?;
    let before = held.as_ref().map(|held| String::from_utf8_lossy(&held.bytes));
    let text = input::text(arguments, "content");
    if let Some(mask) = new_mask(before.as_deref().unwrap_or_default(), text) {
        return Err(mask.told(shown));
    }
    // A file that was not read may be replaced: the model need not know its content. A file that was read and has changed
    // since holds work that the model does not know of.
    let is_changed =
        held.as_ref().is_some_and(|held| seen.known(real, &held.bytes) == Known::Changed);
    if is_changed { Err(Fault::Changed.told(shown)) } else { Ok(held) }
}
