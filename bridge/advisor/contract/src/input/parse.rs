//! The body of `POST /analyze` to a question, or to everything that is wrong with it.

use serde_json::Value;

use super::AdvisorInput;
use crate::document::{self, Unreadable};
use crate::failure::{Violation, places};
use crate::{rules, schema};

/// Why a body is not a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputFault {
    /// The body is not JSON.
    #[error("the body is not JSON: {message} at line {line} column {column}")]
    InvalidJson {
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault in characters, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The body is JSON but breaks the input contract.
    #[error("the body breaks the input contract in {}", places(.0.len()))]
    Violations(Vec<Violation>),
}

/// Reads a question. The caller has bounded the body's size.
///
/// # Errors
///
/// [`InputFault::InvalidJson`] when the bytes are not one JSON text in UTF-8, or nest deeper than
/// 128 levels. [`InputFault::Violations`], never empty, with every violation of
/// `schemas/advisor-input.schema.json` and of the two rules that it names but cannot express.
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
        // The schema is at least as strict as the type (tested); if not, the caller learns it.
        serde_json::from_value(document.value)
            .map_err(|error| InputFault::Violations(vec![Violation::new("", error.to_string())]))
    } else {
        Err(InputFault::Violations(rules::arrange(violations)))
    }
}

/// Plans with the same name but for case and outer white space.
fn repeated_names(question: &Value) -> Vec<Violation> {
    let plans = question.get("candidate_plans").and_then(Value::as_array);
    rules::repeated_names("/candidate_plans", plans.map_or(&[], Vec::as_slice))
}

#[cfg(test)]
mod tests;
