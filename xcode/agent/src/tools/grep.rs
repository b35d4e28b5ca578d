//! `grep`: finds the lines of files that match a regular expression.

mod search;

use std::path::Path;

use globset::GlobMatcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use host::beneath::FileType;
use redact::is_sensitive_path;
use serde_json::{Map, Value, json};

use crate::tool::Outcome;
use crate::tools::file::{Access, Job, Spec};
use crate::tools::glob::{LINES_MAX, NOTHING, matcher};
use crate::tools::input;
use crate::tools::scope::{Listing, ignores_from};
use crate::workspace::open::{Fault, Kind, kind};
use crate::workspace::walk::{Depth, LeftOut, walk};
use search::{Done, Search};

/// How many lines around a match may be requested.
const CONTEXT_MAX: usize = 50;

/// The largest compiled expression, in bytes; a larger one is a mistake, or an attack.
const REGEX_MAX: usize = 10 << 20;

pub(super) const GREP: Spec = Spec {
    name: "grep",
    description: "Search file contents by regex (preferred over shell grep)",
    access: Access::Reads,
    path: "path",
    schema,
    work: grep,
    draft: None,
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "Regular expression, matched line by line"
            },
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "Absolute path of the file or directory to search (default: the project)"
            },
            "include": {
                "type": "string",
                "minLength": 1,
                "description": "Glob pattern of the files to search, such as *.rs"
            },
            "ignoreCase": {
                "type": "boolean",
                "description": "Upper and lower case are the same"
            },
            "context": {
                "type": "integer",
                "minimum": 0,
                "description": "Lines to show before and after each match"
            }
        },
        "required": ["pattern"],
        "additionalProperties": false
    })
}

/// The search criteria.
struct Wanted {
    matcher: RegexMatcher,
    include: Option<Include>,
    context: usize,
}

/// Which files are searched.
enum Include {
    /// By their names, in any folder.
    Name(GlobMatcher),
    /// By their paths below the folder that is searched.
    Path(GlobMatcher),
}

impl Include {
    fn is_match(&self, start: &Path, path: &Path) -> bool {
        match self {
            Self::Name(glob) => path.file_name().is_some_and(|name| glob.is_match(name)),
            Self::Path(glob) => path.strip_prefix(start).is_ok_and(|path| glob.is_match(path)),
        }
    }
}

fn wanted(arguments: &Map<String, Value>) -> Result<Wanted, String> {
    let pattern = input::text(arguments, "pattern");
    let matcher_of = RegexMatcherBuilder::new()
        .case_insensitive(input::is_on(arguments, "ignoreCase"))
        // `^` and `$` match at line ends.
        .multi_line(true)
        .crlf(true)
        .size_limit(REGEX_MAX)
        .dfa_size_limit(REGEX_MAX)
        .build(pattern)
        .map_err(|error| format!("The pattern is wrong: {error}"))?;
    let include = match input::text(arguments, "include").trim_start_matches("./") {
        "" => None,
        glob if glob.contains('/') => Some(Include::Path(matcher(glob.trim_start_matches('/'))?)),
        glob => Some(Include::Name(matcher(glob)?)),
    };
    let context = input::number(arguments, "context").unwrap_or(0).min(CONTEXT_MAX);
    Ok(Wanted { matcher: matcher_of, include, context })
}

/// Counts what was not searched.
#[derive(Default)]
struct Skipped {
    /// Files that hold secrets, by their path.
    protected: usize,
    /// Files that could not be read, or hold a line that is too long.
    unreadable: usize,
    binary: usize,
}

fn grep(job: &Job<'_>) -> Result<Outcome, String> {
    let Job { real: start, shown, arguments, workspace, stop, .. } = *job;
    let wanted = wanted(arguments)?;
    let mut listing = Listing::new(LINES_MAX);
    let mut skipped = Skipped::default();
    let mut left_out = LeftOut::default();
    let mut search = Search::new(wanted.matcher, wanted.context, stop);
    let told = |fault: Fault| fault.told(shown);
    match kind(start).map_err(told)? {
        Kind::File => match search.file(start, shown, &mut listing).map_err(told)? {
            Done::Searched => {}
            Done::Binary => skipped.binary += 1,
            Done::Stopped => left_out.is_stopped = true,
        },
        Kind::Folder => {
            let above = ignores_from(workspace, start);
            let is_wanted = |path: &Path| {
                wanted.include.as_ref().is_none_or(|include| include.is_match(start, path))
            };
            left_out = walk(start, &above, Depth::All, stop, |entry| {
                if entry.kind != FileType::RegularFile || !is_wanted(entry.path) {
                    return;
                }
                // Each such file needs its own permission.
                if is_sensitive_path(entry.path) {
                    skipped.protected += 1;
                    return;
                }
                let shown = workspace.shown(entry.path);
                match search.file(entry.path, &shown, &mut listing) {
                    // Binary files are not reported.
                    Ok(Done::Searched | Done::Binary | Done::Stopped) => {}
                    Err(_) => skipped.unreadable += 1,
                }
            })
            .map_err(|error| told(error.into()))?;
        }
    }
    left_out.is_stopped |= stop.is_now();
    Ok(listing.outcome(NOTHING, skipped.notes(), left_out, stop))
}

impl Skipped {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.protected > 0 {
            notes.push(format!(
                "[{} files that may hold secrets were not searched; give one as path]",
                self.protected
            ));
        }
        if self.unreadable > 0 {
            notes.push(format!("[{} files could not be searched]", self.unreadable));
        }
        if self.binary > 0 {
            notes.push("[the file is binary and was not searched]".to_owned());
        }
        notes
    }
}
