//! A session: one conversation with a model, its tools, its journal; its turns run one after the other.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use contract::id::SessionId;
use contract::xc::{End, Entry, PermitMode, TokenUsage, What};
use llm::{Cancel, Model, estimate};
use redact::Redactor;

use crate::advisor::Advisor;
use crate::arguments::Toolbox;
use crate::budget::{Spent, TurnLimits};
use crate::checkpoint::{Checkpoints, UndoWay, Undone};
use crate::code::Code;
use crate::compact::{Compaction, Kept, compact};
use crate::conversation::Conversation;
use crate::host::Host;
use crate::journal::{Journal, Past};
use crate::knowledge::Knowledge;
use crate::permit::Permit;
use crate::places::Places;
use crate::plan::{PlanMode, Planning};
use crate::prompt::system_prompt;
use crate::record::Record;
use crate::sandbox::Sandbox;
use crate::state::State;
use crate::tool::Tool;
use crate::tools::Tasks;
use crate::turn;
use crate::words_of_model;
use crate::workspace::Workspace;

/// The parts of a session.
pub struct Setup {
    /// The model.
    pub model: Arc<dyn Model>,
    /// Models that are used in order when the provider is overloaded or fails.
    pub fallback: Vec<Arc<dyn Model>>,
    /// The workspace's folders.
    pub workspace: Workspace,
    /// The tools. The list and its order are the same for the whole session.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Decides which calls run.
    pub permit: Permit,
    /// Records everything that happens.
    pub journal: Journal,
    /// The earlier content of a resumed session.
    pub past: Option<Past>,
    /// The limits of a turn.
    pub limits: TurnLimits,
    /// Values that are masked everywhere: keys.
    pub secrets: Vec<String>,
    /// Where checkpoints of file changes are stored for undo; `None` if no user can request an undo.
    pub checkpoints: Option<Places>,
    /// Adds code context to each prompt; none if that is off.
    pub code: Option<Code>,
    /// Checks the assumptions of a plan before its review; `None` if the advisor is not used.
    pub plan_advisor: Option<Advisor>,
    /// The sandbox of commands, for the model; none if commands are not confined.
    pub sandbox: Option<Sandbox>,
    /// The background commands, which the tool `shell` starts.
    pub tasks: Tasks,
    /// The type of the shell that runs commands, for the model: `bash`, `zsh`.
    pub shell_type: String,
    /// Its version, from [`crate::shell_version`].
    pub shell_version: Option<String>,
    /// The knowledge before the first prompt, from [`crate::knowledge`].
    pub knowledge: Knowledge,
}

/// A session. Its turns run one after the other; each reports to the [`Host`] that it is called with.
pub struct Session {
    state: State,
}

impl Session {
    /// Creates a session from `setup`. No request is sent yet.
    pub fn new(setup: Setup) -> Self {
        let Setup {
            model,
            fallback,
            workspace,
            tools,
            permit,
            journal,
            past,
            limits,
            secrets,
            checkpoints,
            code,
            plan_advisor,
            sandbox,
            tasks,
            shell_type,
            shell_version,
            knowledge,
        } = setup;
        let tools = Toolbox::new(tools);
        let definitions = tools.definitions();
        let shell = (&*shell_type, shell_version.as_deref());
        let mut system = system_prompt(shell, workspace.root(), &definitions, &knowledge.text);
        if let Some(sandbox) = sandbox {
            system.push_str("\n\n");
            system.push_str(&sandbox.told());
        }
        let fixed_tokens = estimate::request(&llm::Request {
            system: system.clone(),
            tools: definitions.clone(),
            messages: Vec::new(),
            output_limit: None,
            thinking: None,
        });
        let (conversation, spent, plan) = match past {
            Some(Past { messages, lines, usage, cost_usd, plan, tasks: past, .. }) => {
                tasks.go_on(past.last, past.left);
                (Conversation::resumed(messages, lines), Spent::before(usage, cost_usd), plan)
            }
            None => (Conversation::default(), Spent::NOTHING, None),
        };
        let checkpoints = checkpoints.map(|places| {
            let (home, id) = (places.global(), journal.id().to_string());
            let made = Checkpoints::new(home, &id, workspace.folders().to_vec());
            Arc::new(Mutex::new(made))
        });
        let mode_after = permit.mode();
        let mut state = State {
            model,
            fallback: fallback.into(),
            workspace,
            tools,
            checkpoints,
            told_next: String::new(),
            tasks,
            code,
            plan_advisor,
            checked_plan: None,
            permit: permit.for_shell(&shell_type),
            plan: PlanMode::Off,
            rules: knowledge.rules,
            record: Record::new(journal),
            conversation,
            limits,
            redactor: Redactor::with_values(secrets.clone()),
            secrets,
            system,
            definitions,
            fixed_tokens,
            spent,
            turn_spent: Spent::NOTHING,
        };
        state.rules.look(state.conversation.messages());
        if let Some(planning) = plan.and_then(|name| Planning::again(&name, mode_after)) {
            state.plan_with(planning);
        }
        Self { state }
    }

    /// Its id.
    pub fn id(&self) -> SessionId {
        self.state.record.id()
    }

    /// The model in use, as `provider:model`.
    pub fn model(&self) -> String {
        self.state.model.id().to_string()
    }

    /// The names of the tools, in the order of their definitions.
    pub fn tools(&self) -> Vec<String> {
        self.state.definitions.iter().map(|tool| tool.name.clone()).collect()
    }

    /// All tokens of the session, and its estimated cost if every price is known.
    pub fn spent(&self) -> (TokenUsage, Option<f64>) {
        (self.state.spent.usage, self.state.spent.cost_usd)
    }

    /// The present permission mode.
    pub fn mode(&self) -> PermitMode {
        self.state.permit.mode()
    }

    /// The file of the current plan, relative to the workspace's root; none outside of plan mode.
    pub fn plan(&self) -> Option<PathBuf> {
        self.state.plan.planning().map(|planning| planning.path().into())
    }

    /// Enters plan mode at the user's request: until it ends, only the plan may be written. Does nothing in plan mode.
    pub fn enter_plan(&mut self, host: &dyn Host) {
        self.state.enter_plan(host);
    }

    /// Leaves plan mode at the user's request; the model is told with the next prompt. Does nothing outside of plan mode.
    pub fn leave_plan(&mut self, host: &dyn Host) {
        self.state.leave_plan(host, PlanMode::Over);
    }

    /// Works on `prompt` until the model has answered, a limit is reached, a permanent failure occurs,
    /// or `cancel` ends it. Events are sent to `host`; the end is returned and not
    /// sent. A turn has no other failures, and the session can continue after each end.
    ///
    /// # Cancel safety
    /// Use `cancel` to end it. If the future is dropped, calls have no results: in memory the
    /// last step is missing, and in the journal they are recorded as begun.
    pub async fn turn(&mut self, prompt: &str, host: &dyn Host, cancel: &Cancel) -> End {
        turn::run(&mut self.state, prompt, host, cancel).await
    }

    /// Ends the background commands, and reports which. The session can continue.
    ///
    /// # Cancel safety
    /// If the future is dropped they end nevertheless, without being recorded.
    pub async fn end_tasks(&mut self, host: &dyn Host) {
        let ended = self.state.tasks.end_all().await;
        self.state.write_tasks(host);
        for task in ended {
            let text = format!("Background task {} was ended: {}", task.number, task.command);
            host.tell(What::Note { text });
        }
    }

    /// What an undo would change now; none if there is nothing to undo, or no checkpoints are stored.
    ///
    /// # Errors
    /// A file cannot be examined.
    ///
    /// # Cancel safety
    /// Nothing is changed.
    pub async fn undo_preview(&self, way: UndoWay) -> io::Result<Option<Undone>> {
        let preview = self.state.on_disk(move |checkpoints| checkpoints.preview(way));
        preview.await.unwrap_or(Ok(None))
    }

    /// Undoes the file changes of a turn, including those of commands, or the last undo. A file that was changed
    /// since is left unchanged and listed. The model is told with the next prompt.
    ///
    /// # Errors
    /// A file cannot be examined.
    ///
    /// # Cancel safety
    /// If the future is dropped, the undo continues to its end without being recorded.
    pub async fn undo(&mut self, way: UndoWay, host: &dyn Host) -> io::Result<Option<Undone>> {
        let undone = self.state.on_disk(move |checkpoints| checkpoints.undo(way)).await;
        let Some((turn, undone)) = undone.unwrap_or(Ok(None))? else { return Ok(None) };
        let shown = |path: &PathBuf| self.state.workspace.shown(path).into_owned();
        let files: Vec<String> = undone.restored.iter().chain(&undone.removed).map(shown).collect();
        let what = match way {
            UndoWay::Turn => "The user took back what a turn changed on disk",
            UndoWay::Undo => "The user made a change again that was taken back",
        };
        self.state.told_next =
            format!("\n\n[{what}. Look again before you rely on: {}]", files.join(", "));
        self.state.record.append(host, Entry::Undo { turn, files });
        Ok(Some(undone))
    }

    /// Replaces the model and its `fallback` models, and masks their keys from now on.
    /// The conversation continues.
    pub fn set_model(
        &mut self,
        model: Arc<dyn Model>,
        fallback: Vec<Arc<dyn Model>>,
        keys: Vec<String>,
        host: &dyn Host,
    ) {
        let state = &mut self.state;
        state.secrets.extend(keys);
        state.redactor = Redactor::with_values(state.secrets.clone());
        state.record.set_redactor(state.redactor.clone());
        let (from, to) = (state.model.id().to_string(), model.id().to_string());
        (state.model, state.fallback) = (model, fallback.into());
        if from != to {
            let why = "the user chose it".to_owned();
            let entry = Entry::Model { from: from.clone(), to: to.clone(), why: why.clone() };
            state.record.append(host, entry);
            host.tell(What::Model { from, to, why });
        }
    }

    /// The context window of the model, in tokens, and the approximate size of the next request.
    pub fn room(&self) -> (u64, u64) {
        (self.state.model.limits().window, self.state.tokens())
    }

    /// Saves the summary made by code, without a request to the model.
    pub fn save_summary(&self, host: &dyn Host) {
        self.state.record.write_summary(host);
    }

    /// Lets the model write the summary of the session, and saves it. The summary made by code is kept
    /// if the model does not answer in time, or no prompt was answered yet. Returns whether the model's
    /// summary was saved.
    pub async fn summarise(&mut self, host: &dyn Host, cancel: &Cancel) -> bool {
        words_of_model::summarise(&mut self.state, host, cancel).await
    }

    /// Replaces all but the newest steps by a summary now, with the instructions in `keep` if any.
    /// Returns whether anything was replaced.
    pub async fn compact(&mut self, keep: Option<&str>, host: &dyn Host, cancel: &Cancel) -> bool {
        let keep = keep.map(|keep| self.state.masked(keep));
        let keep = keep.as_deref();
        matches!(compact(&mut self.state, Kept::Share, keep, host, cancel).await, Compaction::Done)
    }
}
