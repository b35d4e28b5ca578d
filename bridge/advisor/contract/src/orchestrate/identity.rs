//! The id and the time of an orchestration.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::report::ToolPlan;

/// The time of a plan, fixed because plans must be byte-identical.
pub const PLAN_TIME: &str = "1970-01-01T00:00:00Z";

/// Prefix of a plan's id.
pub(super) const PLAN: &str = "plan-";

/// The id of a run that began at `now`: its time, and a hash of the prompt and the
/// folder. `root` is empty if no folder was found.
#[must_use]
pub fn run_id(now: Timestamp, prompt: &str, root: &str) -> String {
    format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), hex(asked(prompt, root), 6))
}

/// The id of a plan; equal plans have equal ids.
#[must_use]
pub fn plan_id(prompt: &str, root: &str, plan: &ToolPlan) -> String {
    let mut hash = asked(prompt, root);
    hash.update([0]);
    hash.update(serde_json::to_vec(plan).unwrap_or_default());
    format!("{PLAN}{}", hex(hash, 12))
}

/// When a run began, in RFC 3339 with whole seconds, UTC.
#[must_use]
pub fn run_time(now: Timestamp) -> String {
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

fn asked(prompt: &str, root: &str) -> Sha256 {
    let mut hash = Sha256::new();
    hash.update(prompt.as_bytes());
    hash.update([0]);
    hash.update(root.as_bytes());
    hash
}

fn hex(hash: Sha256, digits: usize) -> String {
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..digits].to_owned()
}
