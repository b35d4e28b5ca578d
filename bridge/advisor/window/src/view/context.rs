//! `/window/context`: the last prompts, with what the orchestrator planned, found and left out for each.

use askama::Template;
use contract::orchestrate::kept::Kept;
use contract::orchestrate::report::{Signal, SignalKind, Status, ToolResult};
use jiff::Timestamp;

use super::shell::{Place, Shell, render};
use crate::foreign::plain;
use crate::frame::Frame;

/// `/window/context`.
#[derive(Debug, Clone)]
pub enum Context {
    /// The session has no permission to see them.
    Hidden,
    /// The last prompts, newest first, and the folder in which they are stored.
    List(Vec<Prompt>, String),
    /// One in full.
    One(Box<Prompt>),
}

/// One prompt.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Its id in the URL: lower case letters, digits and hyphens.
    pub id: String,
    /// Its stored data.
    pub kept: Kept,
}

/// A planned tool with its outcome.
struct Tool<'a> {
    name: &'a str,
    reason: &'a str,
    result: Option<&'a ToolResult>,
}

#[derive(Template)]
#[template(path = "context.html")]
struct Page<'a> {
    shell: &'a Shell<'a>,
    view: &'a Context,
    title: String,
}

impl Context {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::Context);
        let title = match self {
            Self::One(prompt) => plain(prompt.text(&shell)),
            Self::Hidden | Self::List(..) => shell.w.prompts.to_owned(),
        };
        render(&Page { shell: &shell, view: self, title })
    }
}

impl Prompt {
    fn text<'a>(&'a self, shell: &'a Shell<'_>) -> &'a str {
        match self.kept.report.inputs.prompt.as_str() {
            "" => shell.w.prompt_not_repeated,
            text => text,
        }
    }

    fn at_ms(&self) -> i64 {
        let at = self.kept.report.created_at.parse::<Timestamp>();
        at.map_or(0, Timestamp::as_millisecond)
    }

    /// The tools in the order of the plan; results of tools that are not in the plan come last.
    fn tools(&self) -> Vec<Tool<'_>> {
        let report = &self.kept.report;
        let mut results: Vec<&ToolResult> = report.tool_results.iter().collect();
        let mut tools = Vec::new();
        for planned in &report.tool_plan.tools {
            let place = results.iter().position(|result| result.tool == planned.tool);
            let result = place.map(|place| results.remove(place));
            tools.push(Tool { name: &planned.tool, reason: &planned.reason, result });
        }
        for result in results {
            tools.push(Tool { name: &result.tool, reason: "", result: Some(result) });
        }
        tools
    }

    /// The limits, one per line.
    fn limits(&self) -> &str {
        &self.kept.report.fused_context.for_user.limits_text
    }

    fn context(&self) -> &str {
        &self.kept.report.fused_context.for_model.additional_context
    }

    /// CSS class and text of its outcome.
    fn outcome(&self, shell: &Shell<'_>) -> (&'static str, &'static str) {
        let report = &self.kept.report;
        match (report.degraded.is_degraded, self.context().is_empty()) {
            (true, _) => ("warn", shell.w.found_less),
            (false, true) => ("off", shell.w.found_nothing),
            (false, false) => ("ok", shell.w.found_code),
        }
    }
}

impl Tool<'_> {
    /// CSS class and text of its end.
    fn status(&self, shell: &Shell<'_>) -> (&'static str, &'static str) {
        match self.result.map(|result| result.status) {
            Some(Status::Ok) => ("ok", shell.w.level_ok),
            Some(Status::Timeout) => ("bad", shell.w.timed_out),
            Some(Status::Error) => ("bad", shell.w.failed),
            Some(Status::Skipped) | None => ("off", shell.w.level_skip),
        }
    }
}

impl Shell<'_> {
    fn signal(&self, signal: &Signal) -> &'static str {
        match signal.kind {
            SignalKind::Explicit => self.w.signal_explicit,
            SignalKind::Implicit => self.w.signal_implicit,
            SignalKind::Historical => self.w.signal_historical,
            SignalKind::Code => self.w.signal_code,
        }
    }
}
