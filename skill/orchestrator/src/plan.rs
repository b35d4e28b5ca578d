//! Which tools to run for an intent, with which arguments, and why. Pure but for looking up the paths
//! that the prompt names. Nothing from the prompt reaches a tool unclamped.

use std::path::Path;

use serde_json::{Value, json};

use crate::clamp::{self, Allowed};
use crate::control::{Control, SessionMode, Switch};
use crate::intent::{Action, Cause, Deep, Intent, Question, Subject, window};
use crate::limits::{self, Limits};
use crate::report::{PlannedTool, ToolPlan};
use crate::root::Root;
use crate::tool::Args;

/// What tier 2 adds to the wall budget, in milliseconds (proposal, design point 5).
const TIER_2_MS: u64 = 5_000;
/// The longest query, in bytes: an issue's text. Of a longer prompt the head and the tail are asked.
const QUERY_MAX: usize = 6_000;
/// Numbers that a prompt may wish, as `depth=3`.
const WISHES: &[&str] = &["depth", "limit", "top_k", "top", "days", "budget"];

/// A plan, and the tools that somebody wished and that may not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the report says of it.
    pub tool_plan: ToolPlan,
    /// Names that are not on the allow-list.
    pub refused: Vec<String>,
}

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
        tier_max: control.tier_max,
        budget: control.budget,
        tools: Vec::new(),
        planned_codex_command: command.to_owned(),
    };
    Plan { tool_plan, refused: Vec::new() }
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
    let mut tools = vec![
        ("ci_index_status", "how fresh the answers are".to_owned(), json!({})),
        (
            "ci_search",
            "files and functions that fit the prompt".to_owned(),
            json!({ "query": query(prompt), "limit": 10 }),
        ),
        (
            "ci_graph_rag",
            "what is connected to them".to_owned(),
            json!({ "query": query(prompt), "depth": 2, "budget": 8_000, "top_k": 10 }),
        ),
    ];
    match &intent.deep {
        Some(_) if control.tier_max < 2 => limits.say(limits::TIER_2_OFF),
        Some(deep) => tools.extend(deep_tools(deep, root, prompt, intent, limits)),
        None => {}
    }
    let wished = wishes(prompt);
    for (tool, reason, args) in tools {
        let Some(allowed) = clamp::allowed(tool) else { continue };
        let mut args = args.as_object().cloned().unwrap_or_default();
        overrule(&mut args, allowed, control, &wished);
        plan.tool_plan.tools.push(PlannedTool {
            tool: tool.to_owned(),
            tier: allowed.tier,
            reason,
            args: allowed.clamp(&args, limits),
            timeout_ms: allowed.timeout_ms,
        });
    }
    if plan.tool_plan.tools.iter().any(|tool| tool.tier == 2) {
        plan.tool_plan.budget.wall_ms += TIER_2_MS;
    }
    plan.refused = refused(control);
    plan
}

/// The prompt as a question to a search.
fn query(prompt: &str) -> String {
    let window = window(prompt);
    redact::sanitize(&window, redact::Cut::bytes(QUERY_MAX)).trim().to_owned()
}

/// What the file, then the prompt, wish of the tool's numbers.
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

/// The tools of tier 2 that answer what is asked, where the prompt says about what.
fn deep_tools(
    deep: &Deep,
    root: &Root,
    prompt: &str,
    intent: &Intent,
    limits: &mut Limits,
) -> Vec<(&'static str, String, Value)> {
    let anchors = &intent.anchors;
    let symbol = anchors.symbols.first().or(anchors.quoted.first()).or(anchors.names.first());
    let path = named_path(root, &anchors.paths, limits);
    let why = match deep.cause {
        Cause::Consent => "asked for in the prompt",
        Cause::Anchored => "the prompt names the place to change",
    };
    let mut questions = deep.questions.clone();
    if questions.is_empty() {
        questions = match intent.action {
            Action::Debug => vec![Question::BugLocate, Question::CallChain],
            Action::Modify => vec![Question::Impact, Question::CallChain],
            Action::Explain => vec![Question::CallChain, Question::Impact, Question::BugLocate],
        };
    }
    let tool = |question: &Question| match question {
        Question::CallChain => {
            symbol.map(|symbol| ("ci_call_chain", json!({ "symbol": symbol, "depth": 3 })))
        }
        Question::BugLocate => {
            Some(("ci_bug_locate", json!({ "query": query(prompt), "limit": 10 })))
        }
        Question::Impact => match (symbol, &path) {
            (Some(symbol), _) => Some(("ci_impact", json!({ "symbol": symbol, "depth": 3 }))),
            (None, Some(path)) => Some(("ci_impact", json!({ "path": path, "depth": 3 }))),
            (None, None) => None,
        },
        Question::Complexity => Some(match &path {
            Some(path) => ("ci_complexity", json!({ "path": path, "top": 20 })),
            None => ("ci_complexity", json!({ "top": 20 })),
        }),
        Question::Hotspot => Some(("ci_hotspot", json!({ "days": 30, "top": 20 }))),
    };
    questions.iter().filter_map(tool).map(|(tool, args)| (tool, why.to_owned(), args)).collect()
}

/// The first path of the prompt that lies below the root.
fn named_path(root: &Root, paths: &[String], limits: &mut Limits) -> Option<String> {
    for path in paths {
        if root.is_outside(Path::new(path)) {
            limits.say("path refused: it leads out of the repository");
        } else if let Some(inside) = root.relative(Path::new(path)) {
            if !redact::is_sensitive_path(Path::new(&inside)) {
                return Some(inside);
            }
            limits.say("path refused: its content is never shown");
        }
    }
    None
}

/// Tools that the file names and that are not on the allow-list.
fn refused(control: &Control) -> Vec<String> {
    let names = control.wishes.iter().map(|wish| wish.tool.clone());
    names.filter(|tool| clamp::allowed(tool).is_none()).collect()
}
