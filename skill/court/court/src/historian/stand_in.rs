//! The client's own agent in the historian's role, if the historian's agent file is not installed.

use serde_json::Value;

use crate::config::Config;
use crate::records::ObjectiveNode;

/// Prefix of the description of such a call.
const NAME: &str = "historian";

/// The client's own agent that acts as the historian.
pub(crate) const STAND_IN: &str = "general-purpose";

/// Whether a call of a plain sub-agent is meant as the historian, if the historian's agent file is not installed:
/// its description begins with the name.
pub(super) fn is_call(input: &Value) -> bool {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    stands_in(text("subagent_type"), text("description"))
}

fn stands_in(kind: &str, description: &str) -> bool {
    let is_plain = kind.is_empty() || kind == STAND_IN;
    let description = description.trim_start().to_lowercase();
    is_plain && (description.starts_with(NAME) || description.starts_with("史官"))
}

/// Whether a node is a historian's, so that its tokens are the cost of a review.
#[must_use]
pub fn is_review(config: &Config, node: &ObjectiveNode) -> bool {
    let kind = node.agent_type.as_deref().unwrap_or_default();
    config.is_historian(kind) || stands_in(kind, &node.task_id)
}
