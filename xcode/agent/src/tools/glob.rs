//! `glob`: the files whose paths match a pattern.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use host::beneath::FileType;
use serde_json::{Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Job, Spec};
use crate::tools::input;
use crate::tools::scope::{Listing, ignores_from};
use crate::workspace::open::{Fault, Kind, kind};
use crate::workspace::walk::{Depth, LeftOut, walk};

/// How many lines a result may have.
pub(super) const LINES_MAX: usize = 250;

/// The message when nothing was found.
pub(super) const NOTHING: &str = "No matches.";

pub(super) const GLOB: Spec = Spec {
    name: "glob",
    description: "Find files by pattern (preferred over shell ls/find)",
    access: Access::Reads,
    path: "path",
    schema,
    work: glob,
    draft: None,
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "Glob pattern, such as src/**/*.rs; * stays within one folder"
            },
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "Absolute path of the directory to search (default: the project)"
            }
        },
        "required": ["pattern"],
        "additionalProperties": false
    })
}

fn glob(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real: start, shown, arguments, workspace, stop, .. } = *job;
    match kind(start).map_err(|fault| fault.told(shown))? {
        Kind::Folder => {}
        Kind::File => return Err(format!("{shown} is a file, not a folder.")),
    }
    let pattern = below(input::text(arguments, "pattern"), start)?;
    let matcher = matcher(pattern)?;
    // If the pattern begins with folder names, only these are searched.
    let folder = start.join(named(pattern));
    let above = ignores_from(workspace, &folder);
    let mut listing = Listing::new(LINES_MAX);
    let walked = walk(&folder, &above, Depth::All, stop, |entry| {
        let is_match = || entry.path.strip_prefix(start).is_ok_and(|path| matcher.is_match(path));
        if entry.kind != FileType::Directory && is_match() {
            if listing.is_full() {
                listing.count_more(1);
            } else {
                listing.push(workspace.shown(entry.path).into_owned());
            }
        }
    });
    let left_out = match walked.map_err(Fault::from) {
        Ok(left_out) => left_out,
        // The folders named in the pattern do not exist.
        Err(Fault::Missing | Fault::ThroughFile | Fault::Moved) => LeftOut::default(),
        Err(fault) => return Err(fault.told(shown)),
    };
    Ok(listing.outcome(NOTHING, Vec::new(), left_out, stop))
}

/// A pattern for whole paths, `*` within one part.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| format!("The pattern is wrong: {error}."))
}

/// The pattern relative to `start`.
fn below<'p>(pattern: &'p str, start: &Path) -> Result<&'p str, String> {
    let mut below = pattern;
    if pattern.starts_with('/') {
        let inside = start.to_str().and_then(|start| pattern.strip_prefix(start));
        below = inside.and_then(|rest| rest.strip_prefix('/')).ok_or_else(|| {
            format!("The pattern {pattern} begins outside of the directory; give that as path.")
        })?;
    }
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    if Path::new(below).components().any(|part| part == Component::ParentDir) {
        return Err(format!(
            "The pattern {pattern} leads out of the directory; give that as path."
        ));
    }
    Ok(below)
}

/// The leading folders of a pattern that contain no wildcard.
fn named(pattern: &str) -> PathBuf {
    let mut folders: Vec<&str> = pattern.split('/').collect();
    folders.pop();
    let is_name = |part: &&str| !part.is_empty() && !part.contains(['*', '?', '[', '{', '\\']);
    folders.into_iter().take_while(is_name).collect()
}
