//! Which toolboxes answer for a root. The first that offers a tool is asked.

use std::sync::Arc;
use std::time::Instant;

use crate::embedded::Embedded;
use crate::environment::Environment;
use crate::root::Root;
use crate::tool::{Args, Found, ToolFault, Toolbox};

/// The toolboxes for a root.
#[must_use]
pub(crate) fn toolboxes(root: &Root, environment: &Environment) -> Vec<Arc<dyn Toolbox>> {
    match Embedded::new(root, environment) {
        Ok(engine) => vec![Arc::new(engine)],
        Err(fault) => vec![Arc::new(Broken(fault))],
    }
}

/// Stands in for an engine that cannot be made, so that each tool says why.
struct Broken(ToolFault);

impl Toolbox for Broken {
    fn offers(&self, _: &str) -> bool {
        true
    }

    fn call(&self, _: &str, _: &Args, _: Instant) -> Result<Found, ToolFault> {
        Err(self.0.clone())
    }
}
