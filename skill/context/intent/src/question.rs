//! Questions that a prompt can explicitly ask.

/// A question that one tool of tier 2 answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Callers and callees.
    CallChain,
    /// The location of a bug.
    BugLocate,
    /// The code affected by a change.
    Impact,
    /// Complex functions.
    Complexity,
    /// Frequently changed files.
    Hotspot,
}
