//! The allow-list, the tiers, and the bounds of every argument. What is not here does not run; what is
//! out of bounds is pulled in, and that is said.

use serde_json::Value;

use crate::limits::Limits;
use crate::tool::Args;

/// A tool that may run.
#[derive(Debug)]
pub struct Allowed {
    /// Its name.
    pub tool: &'static str,
    /// What it costs: 0 to 2. Tier 3, which is all else, never runs by itself.
    pub tier: u8,
    /// When it is given up, in milliseconds (proposal, design point 5, where it has a number).
    pub timeout_ms: u64,
    /// Its numbers: name, least, most.
    numbers: &'static [(&'static str, u64, u64)],
    /// Its texts.
    texts: &'static [&'static str],
}

/// The allow-list: read-only and analytic tools (proposal, design point 4).
pub const ALLOWED: &[Allowed] = &[
    Allowed { tool: "ci_index_status", tier: 0, timeout_ms: 500, numbers: &[], texts: &[] },
    Allowed {
        tool: "ci_search",
        tier: 1,
        timeout_ms: 2_000,
        numbers: &[("limit", 1, 10)],
        texts: &["query"],
    },
    Allowed {
        tool: "ci_graph_rag",
        tier: 1,
        timeout_ms: 3_500,
        numbers: &[("depth", 0, 2), ("budget", 100, 8_000), ("top_k", 1, 10)],
        texts: &["query"],
    },
    Allowed {
        tool: "ci_call_chain",
        tier: 2,
        timeout_ms: 3_000,
        numbers: &[("depth", 1, 3)],
        texts: &["symbol"],
    },
    Allowed {
        tool: "ci_bug_locate",
        tier: 2,
        timeout_ms: 3_500,
        numbers: &[("limit", 1, 10)],
        texts: &["query"],
    },
    Allowed {
        tool: "ci_impact",
        tier: 2,
        timeout_ms: 3_000,
        numbers: &[("depth", 1, 3)],
        texts: &["symbol", "path"],
    },
    Allowed {
        tool: "ci_complexity",
        tier: 2,
        timeout_ms: 1_000,
        numbers: &[("top", 1, 20)],
        texts: &["path"],
    },
    Allowed {
        tool: "ci_hotspot",
        tier: 2,
        timeout_ms: 3_000,
        numbers: &[("days", 1, 30), ("top", 1, 20)],
        texts: &[],
    },
];

/// The longest text argument, in bytes: the whole window of a prompt.
const TEXT_MAX: usize = 8_192;

/// The entry of a tool; `None`: it must not run.
#[must_use]
pub fn allowed(tool: &str) -> Option<&'static Allowed> {
    ALLOWED.iter().find(|allowed| allowed.tool == tool)
}

impl Allowed {
    /// Whether the tool has a number of this name.
    #[must_use]
    pub fn has_number(&self, name: &str) -> bool {
        self.numbers.iter().any(|(known, ..)| *known == name)
    }

    /// The arguments within their bounds. Names that the tool does not have are left out.
    #[must_use]
    pub fn clamp(&self, args: &Args, limits: &mut Limits) -> Args {
        let mut kept = Args::new();
        for (name, value) in args {
            let number = self.numbers.iter().find(|(known, ..)| known == name);
            let value = match number {
                Some(&(name, least, most)) => bounded(name, value, least, most, limits),
                None if self.texts.contains(&name.as_str()) => text(value),
                None => None,
            };
            match value {
                Some(value) => drop(kept.insert(name.clone(), value)),
                None => limits.say(format!("{}: argument {name:.40} refused", self.tool)),
            }
        }
        kept
    }
}

fn bounded(name: &str, value: &Value, least: u64, most: u64, limits: &mut Limits) -> Option<Value> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse::<f64>().ok()?,
        _ => return None,
    };
    if number.is_nan() {
        return None;
    }
    let clamped = number.clamp(least as f64, most as f64) as u64;
    if number > most as f64 || number < least as f64 {
        limits.say(format!("{name} clamped to {clamped}"));
    }
    Some(clamped.into())
}

fn text(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    Some(text[..text.floor_char_boundary(TEXT_MAX)].into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_number_is_pulled_into_its_bounds() {
        for allowed in ALLOWED {
            for &(name, least, most) in allowed.numbers {
                for (given, kept, said) in [
                    (json!(most), most, false),
                    (json!(most + 1), most, true),
                    (json!(u64::MAX), most, true),
                    (json!(1e300), most, true),
                    (json!(-5), least, true),
                    (json!(most.to_string()), most, false),
                    (json!("999999"), most, true),
                ] {
                    let mut limits = Limits::default();
                    let args = json!({ name: given }).as_object().unwrap().clone();
                    assert_eq!(allowed.clamp(&args, &mut limits)[name], json!(kept), "{args:?}");
                    let text = format!("{name} clamped to {kept}");
                    assert_eq!(limits.says(&text), said, "{} {args:?}", allowed.tool);
                }
            }
        }
    }

    #[test]
    fn what_a_tool_does_not_have_never_reaches_it() {
        let args =
            json!({ "query": "x".repeat(9_000), "limit": [1], "command": "rm", "path": "/etc" });
        let mut limits = Limits::default();
        let kept = allowed("ci_search").unwrap().clamp(args.as_object().unwrap(), &mut limits);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["query"]);
        assert_eq!(kept["query"].as_str().unwrap().len(), TEXT_MAX);
        assert!(limits.says("ci_search: argument command refused"));
        for tool in ["ci_write", "bash", "", "ci_search "] {
            assert!(allowed(tool).is_none(), "{tool}");
        }
    }
}
