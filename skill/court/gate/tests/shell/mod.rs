//! A developer's shell in a project of their own, where nothing was written before.

use gate::{Context, Judgement, NoDisk, Policy, ToolCall};
use serde_json::json;

/// What the gate makes of a command there.
pub(crate) fn judge(command: &str) -> Judgement {
    let context = Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk: &NoDisk,
    };
    let input = json!({ "command": command });
    gate::judge(&ToolCall { name: "Bash", input: &input }, &context, Policy::Graded)
}
