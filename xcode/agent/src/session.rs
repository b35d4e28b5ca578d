//! A session: one conversation with a model, its tools, its journal; turns go through it one by one.

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

/// What a session is made of.
pub struct Setup {
    /// The model that is asked.
    pub model: Arc<dyn Model>,
    /// Models that take over, one after the other, where the provider has no room or fails.
    pub fallback: Vec<Arc<dyn Model>>,
    /// The folders that are worked in.
    pub workspace: Workspace,
    /// What the model may call. The list and its order stay for the whole session.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Who judges calls.
    pub permit: Permit,
    /// Where everything that happens is written.
    pub journal: Journal,
    /// What was before, where the session goes on.
    pub past: Option<Past>,
    /// How far a turn goes.
    pub limits: TurnLimits,
    /// Values that are masked wherever they stand: keys.
    pub secrets: Vec<String>,
    /// Where what turns change is kept, so that it can be taken back; `None` where no user can ask for that.
    pub checkpoints: Option<Places>,
    /// What looks into the code before each prompt; none where that is off.
    pub code: Option<Code>,
    /// Who checks the assumptions of a plan before its review; `None` where no advisor is asked.
    pub plan_advisor: Option<Advisor>,
    /// What confines commands, for the model; none where nothing does.
    pub sandbox: Option<Sandbox>,
    /// The commands in the background, which the tool `shell` starts.
    pub tasks: Tasks,
    /// The type of the shell that runs commands, for the model: `bash`, `zsh`.
    pub shell_type: String,
    /// Its version, as [`crate::shell_version`] finds it.
    pub shell_version: Option<String>,
    /// What is known before the first prompt, as [`crate::knowledge`] loads it.
    pub knowledge: Knowledge,
}

/// A session. Its turns follow one another; each is told to the [`Host`] that is given with it.
pub struct Session {
    state: State,
}

impl Session {
    /// A session of `setup`. Nothing is asked yet.
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

    /// The model that is asked now, as `provider:model`.
    pub fn model(&self) -> String {
        self.state.model.id().to_string()
    }

    /// The names of the tools, in the order in which the model is told of them.
    pub fn tools(&self) -> Vec<String> {
        self.state.definitions.iter().map(|tool| tool.name.clone()).collect()
    }

    /// All tokens of the session, and its estimated cost where every price is known.
    pub fn spent(&self) -> (TokenUsage, Option<f64>) {
        (self.state.spent.usage, self.state.spent.cost_usd)
    }

    /// How calls are judged now.
    pub fn mode(&self) -> PermitMode {
        self.state.permit.mode()
    }

    /// The file of the plan that is made, relative to the root of the workspace; none outside of plan mode.
    pub fn plan(&self) -> Option<PathBuf> {
        self.state.plan.planning().map(|planning| planning.path().into())
    }

    /// Begins plan mode, by the user: until it ends, nothing but the plan is written. Nothing happens where it is on.
    pub fn enter_plan(&mut self, host: &dyn Host) {
        self.state.enter_plan(host);
    }

    /// Ends plan mode, by the user; the model is told with the next prompt. Nothing happens where it is off.
    pub fn leave_plan(&mut self, host: &dyn Host) {
        self.state.leave_plan(host, PlanMode::Over);
    }

    /// Works on `prompt` until the model has answered, a limit is reached, something fails for good,
    /// or `cancel` ends it. What happens in between is told to `host`; the end is returned and not
    /// told. A turn never fails otherwise, and the session can go on after each end.
    ///
    /// # Cancel safety
    /// End it by `cancel`. A future that is dropped leaves calls without results behind: in memory the
    /// last step is missing, and in the journal they stand as begun.
    pub async fn turn(&mut self, prompt: &str, host: &dyn Host, cancel: &Cancel) -> End {
        turn::run(&mut self.state, prompt, host, cancel).await
    }

    /// Ends the commands that run in the background, and tells which. The session can go on.
    ///
    /// # Cancel safety
    /// Dropped half way, they end all the same, and that is not written down.
    pub async fn end_tasks(&mut self, host: &dyn Host) {
        let ended = self.state.tasks.end_all().await;
        self.state.write_tasks(host);
        for task in ended {
            let text = format!("Background task {} was ended: {}", task.number, task.command);
            host.tell(What::Note { text });
        }
    }

    /// What an undo would do now; none where there is nothing to take back, or nothing is kept.
    ///
    /// # Errors
    /// A file cannot be looked at.
    ///
    /// # Cancel safety
    /// Nothing is changed.
    pub async fn undo_preview(&self, way: UndoWay) -> io::Result<Option<Undone>> {
        let preview = self.state.on_disk(move |checkpoints| checkpoints.preview(way));
        preview.await.unwrap_or(Ok(None))
    }

    /// Takes back what a turn changed on disk, commands included, or the last undo. A file that was changed
    /// since stays, and is named. The model is told with the next prompt.
    ///
    /// # Errors
    /// A file cannot be looked at.
    ///
    /// # Cancel safety
    /// Dropped half way, it goes on to its end, and is not written down.
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

    /// From now on `model` is asked, and those of `fallback` after it; their keys are masked from now on.
    /// The conversation goes on.
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

    /// The window of the model that is asked, in tokens, and about how many of them the next request takes.
    pub fn room(&self) -> (u64, u64) {
        (self.state.model.limits().window, self.state.tokens())
    }

    /// Writes the summary of the session, made by code; nothing is asked.
    pub fn save_summary(&self, host: &dyn Host) {
        self.state.record.write_summary(host);
    }

    /// Has the model put the summary of the session into words, and writes it. What code made of it stays
    /// where the model says nothing in time, or nothing was answered yet. Returns whether the words are the
    /// model's.
    pub async fn summarise(&mut self, host: &dyn Host, cancel: &Cancel) -> bool {
        words_of_model::summarise(&mut self.state, host, cancel).await
    }

    /// Replaces all but the newest steps by a summary now, with `keep` in mind where it says something.
    /// Returns whether anything was replaced.
    pub async fn compact(&mut self, keep: Option<&str>, host: &dyn Host, cancel: &Cancel) -> bool {
        let keep = keep.map(|keep| self.state.masked(keep));
        let keep = keep.as_deref();
        matches!(compact(&mut self.state, Kept::Share, keep, host, cancel).await, Compaction::Done)
    }
}
