//! Reads the arguments of a call, which match the tool's schema; an absent argument is empty or none.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::action::Action;
use crate::workspace::Workspace;

/// A text; empty if absent.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number; in JSON, 5 may also be `5.0`.
pub(super) fn number(arguments: &Map<String, Value>, name: &str) -> Option<usize> {
    let value = arguments.get(name)?;
    let whole = value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))?;
    Some(usize::try_from(whole).unwrap_or(usize::MAX))
}

/// A flag; off if absent.
pub(super) fn is_on(arguments: &Map<String, Value>, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// The place that a path in the arguments leads to; the root if it is absent.
pub(super) fn real(workspace: &Workspace, arguments: &Map<String, Value>, name: &str) -> PathBuf {
    workspace.real(&workspace.absolute(text(arguments, name)))
}

/// The place that was judged. Empty for another kind of action, since no such place exists.
pub(super) fn place(action: &Action) -> PathBuf {
    match action {
        Action::Read { path } | Action::Write { path } => path.clone(),
        _ => PathBuf::new(),
    }
}
