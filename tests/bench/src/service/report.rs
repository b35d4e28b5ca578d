//! The table of results: what was measured, the result, and the goal.

use std::fmt;

use super::samples::Samples;

/// The header of the table.
pub(crate) const HEAD: &str = "| What | Result | Goal | |\n| --- | --- | --- | --- |";

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    result: String,
    goal: Option<Goal>,
}

/// A goal, and whether it was met.
#[derive(Debug)]
pub(crate) struct Goal {
    text: String,
    is_met: bool,
}

impl Goal {
    pub(crate) fn at_most(value: f64, limit: f64, unit: &str) -> Self {
        Self { text: format!("at most {limit} {unit}"), is_met: value <= limit }
    }

    pub(crate) fn all(count: usize, of: usize) -> Self {
        Self { text: format!("all {of}"), is_met: count == of }
    }

    pub(crate) fn at_least(value: f64, limit: f64, unit: &str) -> Self {
        Self { text: format!("at least {limit} {unit}"), is_met: value >= limit }
    }
}

impl Row {
    /// A number without a goal.
    pub(crate) fn told(what: impl Into<String>, result: impl Into<String>) -> Self {
        Self { what: what.into(), result: result.into(), goal: None }
    }

    /// Times without a goal.
    pub(crate) fn times(what: impl Into<String>, samples: &Samples) -> Self {
        Self::told(what, samples.to_string())
    }

    /// The same row with a goal.
    pub(crate) fn with(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (goal, verdict) = match &self.goal {
            None => ("", ""),
            Some(Goal { text, is_met: true }) => (text.as_str(), "met"),
            Some(Goal { text, is_met: false }) => (text.as_str(), "**missed**"),
        };
        write!(formatter, "| {} | {} | {goal} | {verdict} |", self.what, self.result)
    }
}
