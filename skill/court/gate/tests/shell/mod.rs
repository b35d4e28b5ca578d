//! A developer's shell in a project of their own: where the commands of tests, examples and benchmarks run that do
//! not say.

use gate::{Context, Disk, Judgement, Policy, ToolCall};
use serde_json::json;

/// What the gate makes of a command there.
pub(crate) fn judge(command: &str, disk: &dyn Disk) -> Judgement {
    let input = json!({ "command": command });
    gate::judge(&ToolCall { name: "Bash", input: &input }, &context(disk), Policy::Graded)
}

/// The project, and nothing that is protected besides.
pub(crate) fn context(disk: &dyn Disk) -> Context<'_> {
    Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk,
    }
}
