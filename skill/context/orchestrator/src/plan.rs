//! Plans which tools to run for an intent, with which arguments, and why. Pure except for looking up the paths
//! in the prompt. Arguments from the prompt are always clamped.

mod budget;
mod deep;
mod own;

use std::collections::BTreeMap;

use intent::root::Root;
use intent::{Cause, Intent, Subject, window};
use orchestration::limits;
use orchestration::report::{ErrorCode, PlannedTool, ToolPlan};
use orchestration::settings::{Switch, TIER_2_MS};
use serde_json::{Value, json};

use crate::clamp::{self, Allowed};
use crate::control::{Control, Policy, SessionMode};
use crate::limits::Limits;
use crate::tool::Args;

/// Maximum length of the query, in bytes: the text of an issue. For a longer prompt its head and tail are used.
const QUERY_MAX: usize = 6_000;
/// Numbers that a prompt can set, as `depth=3`.
const WISHES: &[&str] = &["depth", "limit", "top_k", "top", "days", "budget"];

/// A plan, and the requested tools that may not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The plan as in the report.
    pub tool_plan: ToolPlan,
    /// Which arguments of a planned tool were clamped or left out, by its name.
    pub clamped: BTreeMap<String, String>,
    /// The tools that do not run.
    pub refused: Vec<Refused>,
}

/// A tool that does not run, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Its name.
    pub tool: String,
    /// The error code.
    pub code: ErrorCode,
    /// The message.
    pub message: String,
}

/// A tool, the reason, and its arguments, not yet clamped.
type Wanted = (&'static str, String, Value);

/// Whether there is anything to plan for.
#[must_use]
pub fn is_wanted(control: &Control, intent: &Intent) -> bool {
    match control.switch {
        Switch::Off => false,
        Switch::On => true,
        Switch::Auto => intent.subject == Subject::Code,
    }
}

/// A plan without tools.
#[must_use]
pub fn empty(control: &Control) -> Plan {
    let command = match control.session {
        SessionMode::Exec => "codex exec",
        SessionMode::ResumeLast => "codex exec resume --last",
    };
    let tool_plan = ToolPlan {
        planned_codex_command: command.to_owned(),
        ..ToolPlan::empty(control.tier_max, control.budget)
    };
    Plan { tool_plan, clamped: BTreeMap::new(), refused: Vec::new() }
}

/// The tools for an intent.
#[must_use]
pub fn plan(
    control: &Control,
    root: &Root,
    prompt: &str,
    intent: &Intent,
    limits: &mut Limits,
) -> Plan {
    let mut plan = empty(control);
    let search = (
        "ci_search",
        "files and functions that fit the prompt".to_owned(),
        json!({ "query": query(prompt), "limit": 10 }),
    );
    if control.policy == Policy::Legacy {
        plan.add(search, limits, |_, _| {});
        return plan;
    }
    let wished = wishes(prompt);
    let overrule = |args: &mut Args, allowed: &Allowed| overrule(args, allowed, control, &wished);
    let status = ("ci_index_status", "how fresh the answers are".to_owned(), json!({}));
    let graph = (
        "ci_graph_rag",
        "what is connected to them".to_owned(),
        json!({ "query": query(prompt), "depth": 2, "budget": 8_000, "top_k": 10 }),
    );
    for wanted in [status, search, graph] {
        plan.add(wanted, limits, overrule);
    }
    own::add(&mut plan, control, prompt, intent, limits);
    match &intent.deep {
        Some(_) if control.tier_max < 2 => limits.say(limits::TIER_2_OFF),
        Some(deep) => {
            let wanted = deep::tools(deep, root, prompt, intent, &mut plan.refused, limits);
            for wanted in wanted {
                // If the user explicitly asked for it, the plan is limited by time only.
                let is_free = deep.cause == Cause::Consent;
                if is_free || budget::allows(&plan.tool_plan, wanted.0, limits) {
                    plan.add(wanted, limits, overrule);
                }
            }
        }
        None => {}
    }
    if plan.tool_plan.tools.iter().any(|tool| tool.tier == 2) {
        plan.tool_plan.budget.wall_ms += TIER_2_MS;
    }
    plan.refused.extend(unlisted(control));
    plan
}

impl Plan {
    /// Adds a tool of the allow-list with clamped arguments.
    fn add(
        &mut self,
        (tool, reason, args): Wanted,
        limits: &mut Limits,
        overrule: impl FnOnce(&mut Args, &Allowed),
    ) {
        let Some(allowed) = clamp::allowed(tool) else { return };
        let mut args = args.as_object().cloned().unwrap_or_default();
        overrule(&mut args, allowed);
        let mut said = Limits::default();
        let args = allowed.clamp(&args, &mut said);
        if !said.lines().is_empty() {
            self.clamped.insert(tool.to_owned(), said.lines().join("; "));
        }
        for line in said.lines() {
            limits.say(line);
        }
        self.tool_plan.tools.push(PlannedTool {
            tool: tool.to_owned(),
            tier: allowed.tier,
            reason,
            args,
            timeout_ms: allowed.timeout_ms,
        });
    }
}

/// The prompt as a search query.
fn query(prompt: &str) -> String {
    let window = window(prompt);
    redact::sanitize(&window, redact::Cut::bytes(QUERY_MAX)).trim().to_owned()
}

/// Applies the tool's numbers from the file, then those from the prompt.
fn overrule(args: &mut Args, allowed: &Allowed, control: &Control, wished: &[(&str, u64)]) {
    for wish in control.wishes.iter().filter(|wish| wish.tool == allowed.tool) {
        let numbers = wish.args.iter().filter(|(name, _)| allowed.has_number(name));
        args.extend(numbers.map(|(name, value)| (name.clone(), value.clone())));
    }
    for (name, value) in wished.iter().filter(|(name, _)| allowed.has_number(name)) {
        args.insert((*name).to_owned(), Value::from(*value));
    }
}

/// The numbers that a prompt sets, as `depth=3`.
fn wishes(prompt: &str) -> Vec<(&'static str, u64)> {
    let window = window(prompt);
    let wish = |name: &&'static str| {
        let (before, rest) = window.split_once(&format!("{name}="))?;
        if before.ends_with(|char: char| char.is_alphanumeric() || char == '_') {
            return None;
        }
        let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        Some((*name, rest[..digits].parse().ok()?))
    };
    WISHES.iter().filter_map(wish).collect()
}

/// Tools in the file that are not on the allow-list.
fn unlisted(control: &Control) -> impl Iterator<Item = Refused> {
    let names = control.wishes.iter().map(|wish| wish.tool.clone());
    names.filter(|tool| clamp::allowed(tool).is_none()).map(|tool| Refused {
        tool,
        code: ErrorCode::ToolUnavailable,
        message: "it is not on the allow-list".to_owned(),
    })
}
