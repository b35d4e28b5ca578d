//! `complexity`: which functions are the most complicated. Files are read and parsed again, the largest
//! first, so that only small ones are missing when time runs out.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use crate::answer::Answer;
use crate::complexity::{Measure, measure};
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::syntax::parse;
use crate::tools::frame;
use crate::tools::scope::{Scope, Tests};
use crate::view::{File, View};

/// The most items of one answer.
pub const MAX_ITEMS: usize = 500;

/// The measure that functions are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Cognitive complexity: the effort to understand the code.
    Cognitive,
    /// Cyclomatic complexity: the number of independent paths.
    Cyclomatic,
}

/// The request: which functions to measure.
#[derive(Clone, Debug)]
pub struct ComplexityRequest {
    /// Files or folders relative to the root; everything when empty.
    pub paths: Vec<String>,
    /// Whether tests are included.
    pub tests: Tests,
    /// The measure to order by, the highest first.
    pub order: Order,
    /// The lowest complexity to return, in that measure.
    pub at_least: u32,
    /// How many items to return, at most [`MAX_ITEMS`].
    pub limit: usize,
}

/// A function with its measures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionComplexity {
    /// The file, relative to the root.
    pub path: String,
    /// The function's name.
    pub symbol: String,
    /// Its first line, from 1.
    pub start_line: u32,
    /// Its last line, included.
    pub end_line: u32,
    /// The requested complexity, comparable between answers.
    pub score: f64,
    /// What was counted, in words.
    pub why: Vec<String>,
    /// The number of independent paths, at least 1.
    pub cyclomatic: u32,
    /// The effort to understand it, 0 for code without branches.
    pub cognitive: u32,
}

/// Measures functions, the most complex first.
///
/// # Errors
/// [`EngineError::Unknown`] for a path that does not exist, or when there is no index.
pub fn complexity(
    engine: &Engine,
    request: &ComplexityRequest,
    deadline: &Deadline,
) -> Result<Answer<FunctionComplexity>, EngineError> {
    complexity_in(&engine.view(deadline)?, request, deadline)
}

/// The same for one view.
///
/// # Errors
/// As [`complexity`], but for the index.
pub fn complexity_in(
    view: &View,
    request: &ComplexityRequest,
    deadline: &Deadline,
) -> Result<Answer<FunctionComplexity>, EngineError> {
    frame::answer("complexity", view, deadline, |limits| functions(view, request, deadline, limits))
}

/// The functions, the most complex first.
fn functions(
    view: &View,
    request: &ComplexityRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Result<Vec<FunctionComplexity>, EngineError> {
    let scope = Scope::new(view, &request.paths, request.tests)?;
    let files: Vec<File> = scope.files().filter(|file| file.language.is_some()).collect();
    let (measured, limit) = measure_files(view, files, deadline);
    limits.extend(limit);
    let mut items: Vec<FunctionComplexity> = measured
        .into_iter()
        .flat_map(|(path, functions)| {
            functions.into_iter().map(move |function| (path.clone(), function))
        })
        .map(|(path, function)| item(path, function, request.order))
        .filter(|item| item.score >= f64::from(request.at_least))
        .collect();
    items.sort_by(|a, b| {
        let worst = b.score.total_cmp(&a.score);
        let other = || (b.cognitive + b.cyclomatic).cmp(&(a.cognitive + a.cyclomatic));
        let place = || (&a.path, a.start_line).cmp(&(&b.path, b.start_line));
        worst.then_with(other).then_with(place)
    });
    items.truncate(request.limit.clamp(1, MAX_ITEMS));
    Ok(items)
}

/// The functions of each file, by path, and the limit that was reached, if any.
pub(crate) fn measure_files(
    view: &View,
    mut files: Vec<File>,
    deadline: &Deadline,
) -> (Vec<(String, Vec<Measure>)>, Option<String>) {
    files.sort_by_key(|file| (std::cmp::Reverse(file.bytes), file.path));
    let late = AtomicUsize::new(0);
    let of_file = |file: &File| {
        if deadline.passed() {
            late.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let language = file.language?;
        let source = view.read(file.id)?;
        let tree = parse(language, &source)?;
        Some((file.path.to_owned(), measure(language, &source, &tree)))
    };
    let measured = files.par_iter().filter_map(of_file).collect();
    let late = late.into_inner();
    let limit = (late > 0)
        .then(|| format!("time was over: {late} of {} files were not measured", files.len()));
    (measured, limit)
}

fn item(path: String, function: Measure, order: Order) -> FunctionComplexity {
    let Measure { name, start_line, end_line, cyclomatic, cognitive } = function;
    let score = match order {
        Order::Cognitive => cognitive,
        Order::Cyclomatic => cyclomatic,
    };
    let lines = end_line.saturating_sub(start_line) + 1;
    let why = vec![format!("cognitive {cognitive}, cyclomatic {cyclomatic}, {lines} lines")];
    FunctionComplexity {
        path,
        symbol: name,
        start_line,
        end_line,
        score: f64::from(score),
        why,
        cyclomatic,
        cognitive,
    }
}

#[cfg(test)]
mod tests;
