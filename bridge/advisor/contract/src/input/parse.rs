//! Parses the body of `POST /analyze` into a question, or into a list of all violations.

use serde_json::Value;

use super::AdvisorInput;
use crate::document::{self, Unreadable};
use crate::failure::{Violation, places};
use crate::{rules, schema};

/// Why a body was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputFault {
    /// The body is not JSON.
    #[error("the body is not JSON: {message} at line {line} column {column}")]
    InvalidJson {
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error in characters, from 1.
        column: usize,
        /// The error.
        message: String,
    },
    /// The body is JSON but breaks the input contract.
    #[error("the body breaks the input contract in {}", places(.0.len()))]
    Violations(Vec<Violation>),
}

/// Parses a question. The caller has limited the body's size.
///
/// # Errors
///
/// [`InputFault::InvalidJson`] if the bytes are not one JSON text in UTF-8, or are nested more than
/// 128 levels deep. [`InputFault::Violations`], never empty, with every violation of
/// `schemas/advisor-input.schema.json` and of the two rules that it mentions but cannot express.
pub fn parse_input(body: &[u8]) -> Result<AdvisorInput, InputFault> {
    let document = document::read(body).map_err(|unreadable| match unreadable {
        Unreadable::Syntax { line, column, message } => {
            InputFault::InvalidJson { line, column, message }
        }
        Unreadable::TooManyValues => InputFault::Violations(vec![rules::too_many_values()]),
    })?;
    let mut violations = schema::ADVISOR_INPUT.violations(&document.value);
    violations.extend(rules::repeated_keys(&document.repeated));
    violations.extend(repeated_names(&document.value));
    if violations.is_empty() {
        // The schema is at least as strict as the type (tested); if not, the caller gets the error.
        serde_json::from_value(document.value)
            .map_err(|error| InputFault::Violations(vec![Violation::new("", error.to_string())]))
    } else {
        Err(InputFault::Violations(rules::arrange(violations)))
    }
}

/// Violations for plans with equal names, ignoring case and outer white space.
fn repeated_names(question: &Value) -> Vec<Violation> {
    let plans = question.get("candidate_plans").and_then(Value::as_array);
    rules::repeated_names("/candidate_plans", plans.map_or(&[], Vec::as_slice))
}

#[cfg(test)]
mod tests;
