//! The state of a session, shared by turns, steps and compaction. Not here: running a turn.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use contract::xc::{Entry, PermitMode, PlanState, TokenUsage, What};
use llm::Model;
use redact::{Cut, Redactor};

use crate::advisor::Advisor;
use crate::arguments::Toolbox;
use crate::budget::{Spent, TurnLimits, cost, told};
use crate::checkpoint::Checkpoints;
use crate::code::Code;
use crate::conversation::Conversation;
use crate::host::Host;
use crate::knowledge::rules::Rulebook;
use crate::permit::Permit;
use crate::plan::{PlanMode, Planning};
use crate::record::Record;
use crate::tools::{TaskNews, Tasks};
use crate::workspace::Workspace;

/// The state of a running session.
pub(crate) struct State {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) fallback: VecDeque<Arc<dyn Model>>,
    pub(crate) workspace: Workspace,
    pub(crate) tools: Toolbox,
    /// Adds code context to each prompt.
    pub(crate) code: Option<Code>,
    /// Checks the assumptions of a plan.
    pub(crate) plan_advisor: Option<Advisor>,
    /// The last plan that was checked, so that none is checked twice.
    pub(crate) checked_plan: Option<String>,
    pub(crate) permit: Permit,
    /// The checkpoints of file changes, if they are stored.
    pub(crate) checkpoints: Option<Arc<Mutex<Checkpoints>>>,
    /// Text for the model that is added to the next prompt.
    pub(crate) told_next: String,
    /// The background commands.
    pub(crate) tasks: Tasks,
    /// The state of plan mode; the permission mode follows it.
    pub(crate) plan: PlanMode,
    /// Rules that are sent when they apply.
    pub(crate) rules: Rulebook,
    pub(crate) record: Record,
    pub(crate) conversation: Conversation,
    pub(crate) limits: TurnLimits,
    pub(crate) redactor: Redactor,
    /// The keys that are masked.
    pub(crate) secrets: Vec<String>,
    /// The system prompt; never changed.
    pub(crate) system: String,
    /// The definitions of the tools; never changed.
    pub(crate) definitions: Vec<llm::Tool>,
    /// Tokens of system prompt and definitions.
    pub(crate) fixed_tokens: u64,
    /// The use of the session, including turns before a resume.
    pub(crate) spent: Spent,
    /// The use of the current or last turn.
    pub(crate) turn_spent: Spent,
}

impl State {
    /// Accesses the checkpoints, on a thread that may block; does nothing if none are stored.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Checkpoints) -> io::Result<T> + Send + 'static,
    ) -> Option<io::Result<T>> {
        let checkpoints = Arc::clone(self.checkpoints.as_ref()?);
        let done = tokio::task::spawn_blocking(move || {
            work(&mut checkpoints.lock().unwrap_or_else(PoisonError::into_inner))
        });
        Some(done.await.unwrap_or_else(|_| Err(io::Error::other("an internal error"))))
    }

    /// Records what happened to the background commands since the last call, and returns it.
    pub(crate) fn write_tasks(&mut self, host: &dyn Host) -> Vec<TaskNews> {
        let news = self.tasks.news();
        for TaskNews { number, command, end, .. } in &news {
            let ended = end.map(|end| end.words());
            let entry = Entry::Task { task: *number, command: command.clone(), ended };
            self.record.append(host, entry);
        }
        news
    }

    /// The text with secrets masked and control characters removed.
    pub(crate) fn masked(&self, text: &str) -> String {
        self.redactor.sanitize(text, Cut::NONE).text.into_owned()
    }

    /// Counts a model call, and records and reports its use.
    pub(crate) fn count(&mut self, usage: &llm::Usage, host: &dyn Host) {
        let cost_usd = cost(self.model.id(), usage);
        let usage = told(usage);
        self.spent.add(usage, cost_usd);
        self.turn_spent.add(usage, cost_usd);
        self.record.append(host, Entry::Usage { usage, cost_usd });
        let TokenUsage { input, cached, output } = usage;
        host.tell(What::Usage { input, cached, output, cost_usd });
    }

    /// Enters plan mode; does nothing in plan mode.
    pub(crate) fn enter_plan(&mut self, host: &dyn Host) {
        if self.plan.planning().is_some() {
            return;
        }
        let planning = Planning::new(self.record.id(), self.permit.mode());
        let plan = Some(planning.name().to_owned());
        self.plan_with(planning);
        self.record.append(host, Entry::Mode { mode: PermitMode::Plan, plan });
        host.tell(What::Plan { state: PlanState::Entered });
    }

    /// Makes this the current plan, and sets the permission mode for it.
    pub(crate) fn plan_with(&mut self, planning: Planning) {
        self.permit.plan(planning.file(self.workspace.root()));
        self.plan = PlanMode::On(planning);
    }

    /// Leaves plan mode, and restores the permission mode before it; does nothing outside of plan mode. The model is told
    /// with the next prompt, unless it knows already.
    pub(crate) fn leave_plan(&mut self, host: &dyn Host, after: PlanMode) {
        let Some(planning) = self.plan.planning() else { return };
        let mode = planning.mode_after;
        self.plan = after;
        self.permit.set_mode(mode);
        self.record.append(host, Entry::Mode { mode, plan: None });
        host.tell(What::Plan { state: PlanState::Left });
    }

    /// The approximate size of the next request in tokens.
    pub(crate) fn tokens(&self) -> u64 {
        self.conversation.tokens(self.fixed_tokens)
    }

    /// A request for the next answer.
    pub(crate) fn request(&self) -> llm::Request {
        llm::Request {
            system: self.system.clone(),
            tools: self.definitions.clone(),
            messages: self.conversation.messages().to_vec(),
            output_limit: None,
            thinking: None,
        }
    }
}
