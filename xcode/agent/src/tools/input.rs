//! Reads the arguments of a call. They keep to the tool's schema; what is absent is empty or none.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::action::Action;
use crate::workspace::Workspace;

/// A text; empty where it is absent.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number; JSON has `5.0` for 5, too.
pub(super) fn number(arguments: &Map<String, Value>, name: &str) -> Option<usize> {
    let value = arguments.get(name)?;
    let whole = value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))?;
    Some(usize::try_from(whole).unwrap_or(usize::MAX))
}

/// A switch; off where it is absent.
pub(super) fn is_on(arguments: &Map<String, Value>, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// Where a path of the arguments leads; the root where it is absent.
pub(super) fn real(workspace: &Workspace, arguments: &Map<String, Value>, name: &str) -> PathBuf {
    workspace.real(&workspace.absolute(text(arguments, name)))
}

/// The place that was judged. Empty for an action of another kind, which is a place that is never there.
pub(super) fn place(action: &Action) -> PathBuf {
    match action {
        Action::Read { path } | Action::Write { path } => path.clone(),
        _ => PathBuf::new(),
    }
}
