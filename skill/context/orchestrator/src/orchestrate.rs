//! Processes one prompt through all modules; every early exit returns a report.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use code_intel::context::Context;
use intent::Vocabulary;
use intent::root::Root;
use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::limits;
use orchestration::report::{Report, Status};
use orchestration::request::Request;
use orchestration::settings::{Mode, Switch};
use serde_json::{Map, Value, json};

use crate::context;

use crate::control::{self, Control, Policy, Server};
use crate::draft::Draft;
use crate::environment::Environment;
use crate::fuse::{self, Fused, Traced};
use crate::outcome;
use crate::plan::{self, Plan, Refused};
use crate::redaction::Sanitized;
use crate::run::{self, Ended, Outcome};
use crate::tool::Toolbox;

/// Creates the toolboxes for a root and the servers in its file; called only if tools are to run.
pub type Toolboxes<'t> = &'t dyn Fn(&Root, &[Server]) -> Vec<Arc<dyn Toolbox>>;

/// Answers one request. `here` is the working folder of this process, `now` the time in the report.
#[must_use]
pub fn orchestrate(
    request: &Request,
    environment: &Environment,
    here: &Path,
    now: Timestamp,
    toolboxes: Toolboxes<'_>,
) -> (Report, Exit) {
    let mut draft = Draft::new(request, now);
    if control::is_off(environment) {
        return draft.brief_for_hooks().finish(Exit::Done);
    }
    let cwd = here.join(request.cwd.as_deref().unwrap_or(here));
    let root = match Root::find(environment, &cwd) {
        Ok(root) => root,
        Err(error) => return draft.without_root(&error.to_string()),
    };
    let control = match control::resolve(environment, &root.path, &mut draft.limits) {
        Ok(control) => control.within(request.max_injected_chars),
        Err(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return draft.misconfigured(&faults);
        }
    };
    let root = match control.repo_root.as_deref().map(|path| root.clone().narrowed(path)) {
        Some(Err(error)) => return draft.without_root(&error.to_string()),
        Some(Ok(narrowed)) => narrowed,
        None => root,
    };
    let own_words = || {
        let helps = control.switch == Switch::Auto && control.policy == Policy::Orchestrator;
        helps.then(|| Vocabulary::of_root(&root.path, environment)).flatten()
    };
    let intent = intent::read_with(&request.prompt, own_words);
    draft.knows(&control, &root, &intent);
    if !plan::is_wanted(&control, &intent) {
        return draft.brief_for_hooks().finish(Exit::Done);
    }
    if root.source == intent::root::Source::WorkingDirectory {
        draft.limits.say(limits::NO_GIT_ROOT);
        if let Some((top, owner)) = host::own::foreign_repository(&root.path) {
            let top = top.display();
            draft.limits.say(format!("{top} is a repository of user {owner}, and is not believed"));
        }
    }
    let plan = plan::plan(&control, &root, &request.prompt, &intent, &mut draft.limits);
    draft.report.fused_context.for_user.tool_plan_text = context::plan_text(&plan.tool_plan);
    refuse(&mut draft, &plan.refused);
    let Plan { tool_plan, clamped, .. } = plan;
    draft.report.tool_plan = tool_plan;
    match control.mode {
        Mode::Plan => {
            let names: Vec<&str> =
                draft.report.tool_plan.tools.iter().map(|tool| tool.tool.as_str()).collect();
            let planned = format!("[Auto Tools] planned, not run: {}", names.join(", "));
            draft.report.fused_context.for_model.additional_context = planned;
            draft.finish(Exit::Done)
        }
        Mode::Run => {
            // The legacy policy ignores servers.
            let servers = match control.policy {
                Policy::Orchestrator => &control.servers[..],
                Policy::Legacy => &[],
            };
            let ended = run::run(&draft.report.tool_plan, &toolboxes(&root, servers));
            let exit = gather(&mut draft, ended, &clamped, &control, now);
            draft.finish(exit)
        }
    }
}

/// Records why requested tools do not run.
fn refuse(draft: &mut Draft, refused: &[Refused]) {
    for refused in refused {
        let (tool, message) = (&refused.tool, &refused.message);
        draft.limits.say(format!("{}: {tool:.80} ({message})", limits::TOOL_UNAVAILABLE));
        let result = outcome::refused(refused, &draft.report.created_at);
        draft.report.tool_results.push(result);
    }
}

/// Converts the tools' outcomes into results and context.
fn gather(
    draft: &mut Draft,
    ended: Vec<Ended>,
    clamped: &BTreeMap<String, String>,
    control: &Control,
    now: Timestamp,
) -> Exit {
    let mut findings: Vec<Traced> = Vec::new();
    let mut known: Option<Box<Context>> = None;
    for (index, ended) in ended.into_iter().enumerate() {
        let timeout_ms = draft.report.tool_plan.tools[index].timeout_ms;
        let (tool, started, took) = (ended.tool, ended.started, ended.took);
        let at = outcome::moment(now, started);
        let (result, sanitized) = match ended.outcome {
            Outcome::Found(sanitized) => {
                let clamped = clamped.get(&tool);
                (outcome::answered(&tool, &at, took, &sanitized, clamped), Some(sanitized))
            }
            other => {
                (outcome::failed(&tool, &at, took, &other, timeout_ms, &mut draft.limits), None)
            }
        };
        if let Some(sanitized) = sanitized {
            say(draft, &tool, &sanitized);
            let version = sanitized.found.version.clone();
            known = known.or(sanitized.found.context);
            findings.extend(sanitized.found.findings.into_iter().map(|finding| Traced {
                tool: tool.clone(),
                version: version.clone(),
                at: at.clone(),
                finding,
            }));
        }
        // Refused tools come after the planned ones.
        draft.report.tool_results.insert(index, result);
    }
    let found = findings.len();
    let fused = fuse::fuse(fuse::shares(findings));
    show(draft, &fused, *known.unwrap_or_default(), found, control);
    outcome::exit(draft)
}

fn say(draft: &mut Draft, tool: &str, sanitized: &Sanitized) {
    if sanitized.filtered > 0 {
        draft.limits.say(format!("{} ({tool})", limits::FILTERED));
    }
    if sanitized.withheld > 0 {
        draft
            .limits
            .say(format!("{tool}: {} places in private files withheld", sanitized.withheld));
    }
    for limit in &sanitized.found.limits {
        draft.limits.say(format!("{tool}: {limit}"));
    }
}

/// Adds the fused findings to the report.
fn show(draft: &mut Draft, fused: &Fused, known: Context, found: usize, control: &Control) {
    if found > fused.items.len() && fused.items.len() >= fuse::ITEMS_MAX {
        draft
            .limits
            .say(format!("results truncated: {} of {found} places shown", fused.items.len()));
    }
    let report = &mut draft.report;
    let room = control.budget.max_injected_chars;
    let block = context::block(fused, known, &report.tool_results, room);
    for result in report.tool_results.iter_mut().filter(|result| block.cut.contains(&result.tool)) {
        result.truncated = true;
    }
    if !block.cut.is_empty() {
        draft.limits.say(limits::BUDGET);
    }
    let answered = report.tool_results.iter().filter(|result| result.status == Status::Ok);
    let source = |result: &orchestration::report::ToolResult| json!({ "tool": result.tool, "at": result.started_at, "version": result.data.as_ref().and_then(|data| data.get("version")) });
    let mut structured = Map::new();
    structured.insert("items".to_owned(), fused.items.iter().map(fuse::Item::to_value).collect());
    structured.insert("sources".to_owned(), Value::Array(answered.map(source).collect()));
    structured.insert(
        "truncated".to_owned(),
        json!(!block.cut.is_empty() || fused.total > fused.items.len()),
    );
    report.fused_context.for_user.results_text = context::results_text(fused, &report.tool_results);
    report.fused_context.for_model.additional_context = block.text;
    report.fused_context.for_model.structured = structured;
}
