//! `hotspot`: complicated code that changes often: the lines changed in the last days, times the
//! present complexity of the file.

use std::collections::HashMap;
use std::ffi::OsString;

use serde::Serialize;

use crate::answer::Answer;
use crate::complexity::Measure;
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::git::{GIT_PART, Git, History};
use crate::tools::complexity::measure_files;
use crate::tools::frame;
use crate::tools::scope::{Scope, Tests};
use crate::view::{File, View};

/// The most items of one answer.
pub const MAX_ITEMS: usize = 200;

/// How many days of history count by default: a quarter.
pub const DAYS: u32 = 90;

/// How many times more files are measured than returned: those that changed most.
const CANDIDATES: usize = 20;

/// The request.
#[derive(Clone, Debug)]
pub struct HotspotRequest {
    /// How many days of history to use.
    pub days: u32,
    /// The end of that period, in seconds since 1970.
    pub now: u64,
    /// Files or folders relative to the root; everything when empty.
    pub paths: Vec<String>,
    /// Whether tests are included.
    pub tests: Tests,
    /// How many items to return, at most [`MAX_ITEMS`].
    pub limit: usize,
    /// The `PATH` on which git is looked up.
    pub program_path: OsString,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hotspot {
    /// The file, relative to the root.
    pub path: String,
    /// Its most complicated function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// That function's first line; 0 without one.
    pub start_line: u32,
    /// That function's last line; 0 without one.
    pub end_line: u32,
    /// `churn` times `complexity`.
    pub score: f64,
    /// How the score is composed, in words.
    pub why: Vec<String>,
    /// How many commits changed it.
    pub commits: u32,
    /// Lines that were added.
    pub added: u64,
    /// Lines that were removed.
    pub removed: u64,
    /// Lines that were added or removed.
    pub churn: u64,
    /// The cyclomatic complexity of all its functions together.
    pub complexity: u64,
}

/// The changes that commits made to one file.
#[derive(Clone, Copy, Debug, Default)]
struct Churn {
    commits: u32,
    added: u64,
    removed: u64,
}

/// Finds the files in which complicated code changes most. Without git, or outside of a repository,
/// there is no item, and a limit says why.
///
/// # Errors
/// [`EngineError::Unknown`] for a path that does not exist, or when there is no index.
pub fn hotspot(
    engine: &Engine,
    request: &HotspotRequest,
    deadline: &Deadline,
) -> Result<Answer<Hotspot>, EngineError> {
    hotspot_in(&engine.view(deadline)?, request, deadline)
}

/// The same for one view.
///
/// # Errors
/// As [`hotspot`], but for the index.
pub fn hotspot_in(
    view: &View,
    request: &HotspotRequest,
    deadline: &Deadline,
) -> Result<Answer<Hotspot>, EngineError> {
    frame::answer("hotspot", view, deadline, |limits| hotspots(view, request, deadline, limits))
}

/// The files, the highest score first.
fn hotspots(
    view: &View,
    request: &HotspotRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Result<Vec<Hotspot>, EngineError> {
    let scope = Scope::new(view, &request.paths, request.tests)?;
    let due = deadline.part(GIT_PART);
    let history = Git::open(view.root(), view.folder(), &request.program_path, &due)
        .and_then(|git| git.history(request.days, request.now, &due));
    let history = match history {
        Ok(history) => history,
        Err(error) => {
            limits.push(error.to_string());
            return Ok(Vec::new());
        }
    };
    if history.commits.is_empty() {
        limits.push(format!("no commit in the last {} days", request.days));
    }
    if history.is_cut {
        limits.push(format!("only the newest {} commits were read", history.commits.len()));
    }
    let limit = request.limit.clamp(1, MAX_ITEMS);
    let churn = churn(&history);
    let known: HashMap<&str, File> = scope
        .files()
        .filter(|file| file.language.is_some())
        .map(|file| (file.path, file))
        .collect();
    let mut changed: Vec<(&File, Churn)> =
        churn.iter().filter_map(|(path, churn)| Some((known.get(path)?, *churn))).collect();
    changed.sort_by_key(|(file, churn)| (std::cmp::Reverse(churn.lines()), file.path));
    changed.truncate(limit * CANDIDATES);
    let files: Vec<File> = changed.iter().map(|(file, _)| **file).collect();
    let (measured, late) = measure_files(view, files, deadline);
    limits.extend(late);
    let mut items: Vec<Hotspot> = measured
        .into_iter()
        .filter_map(|(path, functions)| {
            let churn = churn.get(path.as_str())?;
            Some(item(path.clone(), &functions, *churn, request.days))
        })
        .filter(|item| item.score > 0.0)
        .collect();
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    items.truncate(limit);
    Ok(items)
}

/// The changes that commits made to each file.
fn churn(history: &History) -> HashMap<&str, Churn> {
    let mut churn: HashMap<&str, Churn> = HashMap::new();
    for file in history.commits.iter().flat_map(|commit| &commit.files) {
        let sum = churn.entry(&file.path).or_default();
        sum.commits += 1;
        sum.added += file.added;
        sum.removed += file.removed;
    }
    churn
}

impl Churn {
    fn lines(self) -> u64 {
        self.added + self.removed
    }
}

fn item(path: String, functions: &[Measure], churn: Churn, days: u32) -> Hotspot {
    let complexity: u64 = functions.iter().map(|each| u64::from(each.cyclomatic)).sum();
    let worst = functions.iter().max_by_key(|each| (each.cognitive, each.cyclomatic));
    let Churn { commits, added, removed } = churn;
    let mut why = vec![
        format!("{commits} commits in {days} days: {added} lines added, {removed} removed"),
        format!("{} functions, cyclomatic {complexity} together", functions.len()),
    ];
    why.extend(worst.map(|worst| {
        format!(
            "worst: {}, cognitive {}, cyclomatic {}",
            worst.name, worst.cognitive, worst.cyclomatic
        )
    }));
    Hotspot {
        path,
        symbol: worst.map(|worst| worst.name.clone()),
        start_line: worst.map_or(0, |worst| worst.start_line),
        end_line: worst.map_or(0, |worst| worst.end_line),
        // Both are far below the largest whole number that a double holds exactly.
        score: churn.lines() as f64 * complexity as f64,
        why,
        commits,
        added,
        removed,
        churn: churn.lines(),
        complexity,
    }
}

#[cfg(test)]
mod tests;
