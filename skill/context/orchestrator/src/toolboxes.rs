//! The toolboxes of a root: the servers in its file that the user trusts, then the
//! embedded engine, unless a server replaces it. Toolboxes are tried in this order.

use std::sync::Arc;
use std::time::Instant;

use intent::root::Root;
use orchestration::settings::FILE;

use crate::clamp;

use crate::control::{Precedence, Server};
use crate::embedded::Embedded;
use crate::environment::Environment;
use crate::mcp::McpServer;
use crate::tool::{Args, Found, ToolFault, Toolbox};
use crate::trust::{self, Trust};

/// The toolboxes for a root and one prompt: their view of the tree is created by the first tool call
/// and shared, so each prompt has its own toolboxes. Dropping them ends the servers.
#[must_use]
pub fn toolboxes(
    root: &Root,
    servers: &[Server],
    environment: &Environment,
) -> Vec<Arc<dyn Toolbox>> {
    let trust = Trust::new(environment);
    let mut toolboxes: Vec<Arc<dyn Toolbox>> = Vec::new();
    for server in servers {
        if trust.has(server) {
            toolboxes.push(Arc::new(McpServer::new(server, root, environment)));
        } else {
            toolboxes.push(Arc::new(Untrusted(server.clone())));
        }
    }
    if !servers.iter().any(|server| server.place == Precedence::Instead) {
        toolboxes.push(match Embedded::new(root, environment) {
            Ok(engine) => Arc::new(engine),
            Err(fault) => Arc::new(Broken(fault)),
        });
    }
    toolboxes
}

/// Replaces an engine that could not be created, so that each tool reports why.
struct Broken(ToolFault);

impl Toolbox for Broken {
    fn offers(&self, tool: &str) -> bool {
        clamp::allowed(tool).is_some()
    }

    fn call(&self, _: &str, _: &Args, _: Instant) -> Result<Found, ToolFault> {
        Err(self.0.clone())
    }
}

/// Replaces a server that the user does not trust.
struct Untrusted(Server);

impl Toolbox for Untrusted {
    fn offers(&self, tool: &str) -> bool {
        self.0.tool(tool).is_some()
    }

    fn call(&self, _: &str, _: &Args, _: Instant) -> Result<Found, ToolFault> {
        let name: String = self.0.name.chars().take(40).collect();
        let why =
            format!("server {name} of {FILE} is not trusted; look at it with `{}`", trust::COMMAND);
        Err(ToolFault::Unavailable(why))
    }
}
