//! Which toolboxes answer for a root: today none is built in.

use std::sync::Arc;

use crate::environment::Environment;
use crate::root::Root;
use crate::tool::Toolbox;

/// The toolboxes, the first that offers a tool answers.
#[must_use]
pub(crate) fn toolboxes(_root: &Root, _environment: &Environment) -> Vec<Arc<dyn Toolbox>> {
    Vec::new()
}
