//! The four levels.

/// What a call deserves. The order is the order of concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Reads only: nothing to say.
    L0,
    /// Ordinary work: goes through, marked for review.
    L1,
    /// Ask, or deny until it is reviewed.
    L2,
    /// Deny: no reviewer should approve it.
    L3,
}

impl std::fmt::Display for Level {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
        };
        formatter.write_str(name)
    }
}
