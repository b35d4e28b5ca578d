//! Plans servers' own tools if the prompt selects them.

use intent::Intent;
use orchestration::limits;
use orchestration::report::PlannedTool;
use serde_json::json;

use super::{Plan, query};
use crate::control::Control;
use crate::limits::Limits;

/// Adds the tools that the prompt selects, each name once. Their arguments are the question, and the symbol in
/// the prompt, if any.
pub(super) fn add(
    plan: &mut Plan,
    control: &Control,
    prompt: &str,
    intent: &Intent,
    limits: &mut Limits,
) {
    for server in &control.servers {
        for (name, own) in &server.own {
            let is_new = plan.tool_plan.tools.iter().all(|planned| planned.tool != *name);
            let Some(asked) = own.when.asked(prompt).filter(|_| is_new) else { continue };
            if own.tier > control.tier_max {
                limits.say(limits::TIER_2_OFF);
                continue;
            }
            let mut args = json!({ "query": query(prompt) });
            if let Some(symbol) = intent.anchors.symbols.first() {
                args["symbol"] = json!(symbol);
            }
            let server = redact::sanitize(&server.name, redact::Cut::chars(40));
            plan.tool_plan.tools.push(PlannedTool {
                tool: name.clone(),
                tier: own.tier,
                reason: format!("server {server} has it for this prompt: {asked}"),
                args: args.as_object().cloned().unwrap_or_default(),
                timeout_ms: own.timeout_ms,
            });
        }
    }
}
