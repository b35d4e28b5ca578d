//! `glob`: the files whose paths match a pattern.

use std::path::{Component, Path, PathBuf};

use futures_util::future::BoxFuture;
use globset::{GlobBuilder, GlobMatcher};
use host::beneath::FileType;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::blocking;
use crate::tools::input;
use crate::tools::scope::{Listing, ignores_from};
use crate::workspace::Workspace;
use crate::workspace::open::{Fault, Kind, kind};
use crate::workspace::stop::Stop;
use crate::workspace::walk::{Depth, LeftOut, walk};

/// The most lines of a result.
pub(super) const LINES_MAX: usize = 250;

/// What is said where nothing was found.
pub(super) const NOTHING: &str = "No matches.";

/// The tool.
pub(super) struct Glob {
    workspace: Workspace,
}

impl Glob {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone() }
    }
}

impl Tool for Glob {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "glob".to_owned(),
            description: "Find files by pattern (preferred over shell ls/find)".to_owned(),
            schema: json!({
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
        let pattern = input::text(call.arguments, "pattern").to_owned();
        let workspace = self.workspace.clone();
        Box::pin(blocking(call.cancel, move |stop| {
            glob(&workspace, &real, &pattern, stop).unwrap_or_else(Outcome::error)
        }))
    }
}

fn glob(
    workspace: &Workspace,
    start: &Path,
    pattern: &str,
    stop: &Stop,
) -> Result<Outcome, String> {
    let shown = workspace.shown(start);
    match kind(start).map_err(|fault| fault.told(&shown))? {
        Kind::Folder => {}
        Kind::File => return Err(format!("{shown} is a file, not a folder.")),
    }
    let pattern = below(pattern, start)?;
    let matcher = matcher(pattern)?;
    // A pattern whose first folders are named is only looked for in them.
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
        // The folders that the pattern names are not there.
        Err(Fault::Missing | Fault::ThroughFile | Fault::Moved) => LeftOut::default(),
        Err(fault) => return Err(fault.told(&shown)),
    };
    Ok(listing.outcome(NOTHING, Vec::new(), left_out, stop))
}

/// A pattern for whole paths, `*` within one part.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| format!("The pattern is wrong: {error}."))
}

/// The pattern as one of paths below `start`.
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

/// The folders that a pattern begins with and that hold no wildcard.
fn named(pattern: &str) -> PathBuf {
    let mut folders: Vec<&str> = pattern.split('/').collect();
    folders.pop();
    let is_name = |part: &&str| !part.is_empty() && !part.contains(['*', '?', '[', '{', '\\']);
    folders.into_iter().take_while(is_name).collect()
}
