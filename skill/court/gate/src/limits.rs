//! What one judgement may cost. Every loop over input spends from one budget, so that the time is
//! bounded whatever the input is. Not here: a clock; the work is counted, not timed.

/// Most bytes of one command, or of one payload inside it. Longer ones are not judged.
pub const BYTES_MAX: usize = 64 * 1024;
/// Deepest nesting of compounds, substitutions, functions and payloads together.
pub const DEPTH_MAX: usize = 64;
/// Most nodes (commands, words, pieces) that are parsed in one judgement.
pub const NODES_MAX: usize = 20_000;
/// Most steps in one judgement: a step is a byte scanned or a word expanded, some ten nanoseconds.
pub const STEPS_MAX: usize = 2_000_000;
/// Most questions to the host's file system in one judgement, a microsecond or two each. One costs one
/// more for each 64 bytes of its path.
pub const LOOKUPS_MAX: usize = 4_096;
/// Most values that one word, loop or brace expansion may take before it counts as unknown.
pub const VALUES_MAX: usize = 64;

/// A limit that was reached. The command is then not judged, which counts as L2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// More than [`BYTES_MAX`] bytes.
    Bytes,
    /// Nested deeper than [`DEPTH_MAX`].
    Depth,
    /// More than [`NODES_MAX`] nodes.
    Nodes,
    /// More than [`STEPS_MAX`] steps.
    Steps,
    /// More than [`LOOKUPS_MAX`] questions to the file system.
    Lookups,
    /// The file system did not answer in time.
    Unanswered,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes => write!(formatter, "longer than {BYTES_MAX} bytes"),
            Self::Depth => write!(formatter, "nested deeper than {DEPTH_MAX}"),
            Self::Nodes => write!(formatter, "more than {NODES_MAX} nodes"),
            Self::Steps => write!(formatter, "more work than {STEPS_MAX} steps"),
            Self::Lookups => {
                write!(formatter, "about more files than {LOOKUPS_MAX} look-ups can tell")
            }
            Self::Unanswered => {
                write!(formatter, "about files on a file system that does not answer in time")
            }
        }
    }
}

/// What is left of the limits of one judgement.
#[derive(Debug)]
pub(crate) struct Budget {
    nodes: usize,
    steps: usize,
    depth: usize,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { nodes: NODES_MAX, steps: STEPS_MAX, depth: 0 }
    }

    /// Spends `count` steps.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Limit> {
        self.steps = self.steps.checked_sub(count).ok_or(Limit::Steps)?;
        Ok(())
    }

    /// Whether half of the steps are spent: what is only worth a look stops then.
    pub(crate) fn is_half_spent(&self) -> bool {
        self.steps < STEPS_MAX / 2
    }

    /// Whether half of the nesting is used: what is only worth a look stops then.
    pub(crate) fn is_deep(&self) -> bool {
        self.depth > DEPTH_MAX / 2
    }

    /// Spends one node.
    pub(crate) fn node(&mut self) -> Result<(), Limit> {
        self.nodes = self.nodes.checked_sub(1).ok_or(Limit::Nodes)?;
        self.steps(1)
    }

    /// Goes one level down; [`Budget::leave`] comes back.
    pub(crate) fn enter(&mut self) -> Result<(), Limit> {
        if self.depth >= DEPTH_MAX {
            return Err(Limit::Depth);
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
