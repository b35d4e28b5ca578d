//! The allow-list of tools with their tiers. Other tools do not run. The arguments of each tool and their bounds
//! are defined by the engine's [`catalog`].

use code_intel::catalog;

use crate::limits::Limits;
use crate::tool::Args;

/// A tool that may run.
#[derive(Debug)]
pub struct Allowed {
    /// Its name.
    pub tool: &'static str,
    /// Its cost tier: 0 to 2. Tier 3, everything else, never runs automatically.
    pub tier: u8,
    /// Its timeout, in milliseconds (proposal, design point 5, where it has a number).
    pub timeout_ms: u64,
}

/// The allow-list: read-only and analytic tools (proposal, design point 4).
pub const ALLOWED: &[Allowed] = &[
    Allowed { tool: "ci_index_status", tier: 0, timeout_ms: 500 },
    Allowed { tool: "ci_search", tier: 1, timeout_ms: 2_000 },
    Allowed { tool: "ci_graph_rag", tier: 1, timeout_ms: 3_500 },
    Allowed { tool: "ci_call_chain", tier: 2, timeout_ms: 3_000 },
    Allowed { tool: "ci_bug_locate", tier: 2, timeout_ms: 3_500 },
    Allowed { tool: "ci_impact", tier: 2, timeout_ms: 3_000 },
    Allowed { tool: "ci_complexity", tier: 2, timeout_ms: 1_000 },
    Allowed { tool: "ci_hotspot", tier: 2, timeout_ms: 3_000 },
];

/// The entry of a tool; `None` if it must not run.
#[must_use]
pub fn allowed(tool: &str) -> Option<&'static Allowed> {
    ALLOWED.iter().find(|allowed| allowed.tool == tool)
}

impl Allowed {
    /// Whether the tool has a numeric argument of this name.
    #[must_use]
    pub fn has_number(&self, name: &str) -> bool {
        catalog::entry(self.tool).is_some_and(|entry| entry.has_number(name))
    }

    /// The arguments clamped to their bounds. Unknown arguments are left out.
    #[must_use]
    pub fn clamp(&self, args: &Args, limits: &mut Limits) -> Args {
        let entry = catalog::entry(self.tool);
        entry.map(|entry| entry.clamp(args, |line| limits.say(line))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_that_may_run_is_one_of_the_engine() {
        for allowed in ALLOWED {
            assert!(catalog::entry(allowed.tool).is_some(), "{}", allowed.tool);
        }
        for tool in ["ci_write", "bash", "", "ci_search "] {
            assert!(allowed(tool).is_none(), "{tool}");
        }
    }

    #[test]
    fn what_was_clamped_or_refused_is_said() {
        let args = json!({ "query": "x", "limit": 99, "command": "rm" });
        let mut limits = Limits::default();
        let kept = allowed("ci_search").unwrap().clamp(args.as_object().unwrap(), &mut limits);
        assert_eq!(kept, *json!({ "query": "x", "limit": 10 }).as_object().unwrap());
        assert!(limits.says("limit clamped to 10"));
        assert!(limits.says("ci_search: argument command refused"));
    }
}
