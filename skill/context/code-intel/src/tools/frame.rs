//! The part that all tools share: it copies the view's limits, adds the limits that were
//! reached, and builds the answer from the items.

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::engine::EngineError;
use crate::view::View;

/// The answer of `tool` with the items that `find` returns. `find` adds each limit that it reaches to
/// `limits`, which starts with those of the view.
///
/// # Errors
/// Returns those of `find`.
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

/// Keeps the first `limit` items, and adds a limit when there were more; `what` names the items.
pub(crate) fn cut<I>(items: &mut Vec<I>, limit: usize, what: &str, limits: &mut Vec<String>) {
    if items.len() > limit {
        limits.push(format!("{limit} of {} {what} are shown", items.len()));
        items.truncate(limit);
    }
}
