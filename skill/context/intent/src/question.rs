//! What a prompt may ask in so many words.

/// A question that one tool of tier 2 answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Who calls whom.
    CallChain,
    /// Where a fault is.
    BugLocate,
    /// What a change touches.
    Impact,
    /// What is complicated.
    Complexity,
    /// What changes often.
    Hotspot,
}
