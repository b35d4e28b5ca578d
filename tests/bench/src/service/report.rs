//! The table: what was measured, what came out, and what was wanted.

use std::fmt;

use super::samples::Samples;

/// The head of the table that the rows belong to.
pub(crate) const HEAD: &str = "| What | Result | Goal | |\n| --- | --- | --- | --- |";

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    result: String,
    goal: Option<Goal>,
}

/// What a value should be, and whether it is.
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
    /// A number to know.
    pub(crate) fn told(what: impl Into<String>, result: impl Into<String>) -> Self {
        Self { what: what.into(), result: result.into(), goal: None }
    }

    /// Times to know.
    pub(crate) fn times(what: impl Into<String>, samples: &Samples) -> Self {
        Self::told(what, samples.to_string())
    }

    /// The same, held against a goal.
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
