//! Parses the body of `POST /orchestrate` into a turn, or into a list of all violations.

use super::OrchestrateInput;
use crate::document::{self, Unreadable};
use crate::failure::Violation;
use crate::input::InputFault;
use crate::{rules, schema};

/// Parses a turn. The caller has limited the body's size.
///
/// # Errors
///
/// As [`crate::input::parse_input`], with `schemas/orchestrate-input.schema.json`.
pub fn parse_orchestrate(body: &[u8]) -> Result<OrchestrateInput, InputFault> {
    let document = document::read(body).map_err(|unreadable| match unreadable {
        Unreadable::Syntax { line, column, message } => {
            InputFault::InvalidJson { line, column, message }
        }
        Unreadable::TooManyValues => InputFault::Violations(vec![rules::too_many_values()]),
    })?;
    let mut violations = schema::ORCHESTRATE_INPUT.violations(&document.value);
    violations.extend(rules::repeated_keys(&document.repeated));
    if violations.is_empty() {
        // The schema is at least as strict as the type (tested); if not, the caller gets the error.
        serde_json::from_value(document.value)
            .map_err(|error| InputFault::Violations(vec![Violation::new("", error.to_string())]))
    } else {
        Err(InputFault::Violations(rules::arrange(violations)))
    }
}
