//! A report under construction: valid from the start, so that every early exit has a report.

use intent::Intent;
use intent::root::Root;
use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::identity;
use orchestration::limits;
use orchestration::report::{Degraded, ErrorCode, Report};
use orchestration::request::Request;
use orchestration::settings::Mode;
use redact::Cut;

use crate::control::{Control, Policy};
use crate::limits::Limits;
use crate::outcome;
use crate::plan::{self, Refused};

/// Maximum length of the prompt in a report, in bytes.
const PROMPT_MAX: usize = 16 * 1024;
/// Whether a report contains the prompt.
enum Words {
    /// Yes, masked.
    Repeated,
    /// No.
    LeftOut,
}

/// A report under construction.
pub struct Draft {
    /// The report so far.
    pub report: Report,
    /// The lines of `[Limits]`.
    pub limits: Limits,
    /// Input of the run's id, together with the root and the plan.
    prompt: String,
    words: Words,
    mode: Mode,
    now: Timestamp,
}

impl Draft {
    /// An empty report for a request.
    #[must_use]
    pub fn new(request: &Request, now: Timestamp) -> Self {
        let report = Report::empty(
            String::new(),
            identity::run_time(now),
            request.client.clone(),
            plan::empty(&Control::fallback()).tool_plan,
        );
        Self {
            report,
            limits: Limits::default(),
            prompt: request.prompt.clone(),
            words: Words::Repeated,
            mode: Mode::Run,
            now,
        }
    }

    /// The same without the prompt if a hook asks: a hook ignores it if there is
    /// no context, and masking it would take as long as everything else.
    #[must_use]
    pub fn brief_for_hooks(mut self) -> Self {
        if self.report.client.is_hook() {
            self.words = Words::LeftOut;
        }
        self
    }

    /// Adds the settings, the root and the signals of the prompt.
    pub fn knows(&mut self, control: &Control, root: &Root, intent: &Intent) {
        let report = &mut self.report;
        self.mode = control.mode;
        report.tool_plan = plan::empty(control).tool_plan;
        report.inputs.repo_root = Some(root.path.display().to_string());
        report.inputs.repo_root_source = Some(root.source.word().to_owned());
        report.inputs.signals.clone_from(&intent.signals);
        if control.mode == Mode::Plan {
            report.created_at = identity::PLAN_TIME.to_owned();
        }
        if control.policy == Policy::Legacy {
            report.enforcement.source = "legacy".to_owned();
        }
    }

    /// The report for invalid settings: no context, and all faults.
    #[must_use]
    pub fn misconfigured(mut self, faults: &[String]) -> (Report, Exit) {
        for fault in faults {
            self.limits.say(fault);
        }
        self.empty(&faults.join("; "), Exit::Misconfigured)
    }

    /// The report if there is no root: the first tool of every plan fails for that reason.
    #[must_use]
    pub fn without_root(mut self, fault: &str) -> (Report, Exit) {
        let refused = Refused {
            tool: "ci_index_status".to_owned(),
            code: ErrorCode::RepoRoot,
            message: fault.to_owned(),
        };
        let result = outcome::refused(&refused, &self.report.created_at);
        self.report.tool_results.push(result);
        self.misconfigured(&[fault.to_owned()])
    }

    /// A report without context, because of `reason`.
    #[must_use]
    pub fn empty(mut self, reason: &str, exit: Exit) -> (Report, Exit) {
        if exit != Exit::Misconfigured {
            self.limits.say(if reason.is_empty() { limits::UNAVAILABLE } else { reason });
        }
        self.report.degraded = Degraded {
            is_degraded: true,
            reason: redact::sanitize(reason, Cut::NONE),
            degraded_to: "empty".to_owned(),
        };
        self.finish(exit)
    }

    /// The finished report.
    #[must_use]
    pub fn finish(mut self, exit: Exit) -> (Report, Exit) {
        self.repeat_words();
        self.report.run_id = self.run_id();
        self.report.fused_context.for_user.limits_text = self.limits.text();
        (self.report, exit)
    }

    /// Adds the prompt, masked, or a note that it was left out.
    fn repeat_words(&mut self) {
        let inputs = &mut self.report.inputs;
        match self.words {
            Words::Repeated => {
                let cut = self.prompt.floor_char_boundary(PROMPT_MAX);
                inputs.prompt = redact::sanitize(&self.prompt, Cut::bytes(PROMPT_MAX));
                inputs.prompt_truncated = (cut < self.prompt.len()).then_some(true);
                for signal in &mut inputs.signals {
                    signal.matched = redact::sanitize(&signal.matched, Cut::NONE);
                }
            }
            Words::LeftOut => {
                inputs.prompt_truncated = Some(true);
                inputs.signals.clear();
            }
        }
    }

    fn run_id(&self) -> String {
        let root = self.report.inputs.repo_root.as_deref().unwrap_or_default();
        match self.mode {
            Mode::Plan => identity::plan_id(&self.prompt, root, &self.report.tool_plan),
            Mode::Run => identity::run_id(self.now, &self.prompt, root),
        }
    }
}
