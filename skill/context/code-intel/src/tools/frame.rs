//! What every tool does around its own work: carry over what is missing from the view, note the bounds that
//! are reached, and put the items into an answer. What is looked for is not known here.

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::engine::EngineError;
use crate::view::View;

/// The answer of `tool` with the items that `find` finds. `find` adds each bound that it reaches to the
/// limits, which begin with those of the view.
///
/// # Errors
/// Those of `find`.
pub(crate) fn answer<I>(
    tool: &'static str,
    view: &View,
    deadline: &Deadline,
    find: impl FnOnce(&mut Vec<String>) -> Result<Vec<I>, EngineError>,
) -> Result<Answer<I>, EngineError> {
    let mut limits = view.limits().to_vec();
    let items = find(&mut limits)?;
    Ok(Answer::new(tool, view.root(), items, limits, deadline))
}

/// Leaves the first `limit` items, and says so where there were more; `what` they are.
pub(crate) fn cut<I>(items: &mut Vec<I>, limit: usize, what: &str, limits: &mut Vec<String>) {
    if items.len() > limit {
        limits.push(format!("{limit} of {} {what} are shown", items.len()));
        items.truncate(limit);
    }
}
