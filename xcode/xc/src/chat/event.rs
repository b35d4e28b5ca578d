//! The events of a conversation, and the effects that [`update`](super::update::update) returns.

use agent::{Answer, Ask, Choice, Plan, Question, Review};
use contract::id::SessionId;
use contract::xc::{End, PermitMode, SessionSummary, TokenUsage, What};
use llm::Provider;
use redact::Redactor;

use super::memory::Memory;
use super::slash::{Consent, Wish};
use super::undo::Undo;
use crate::exit::Exit;
use crate::hints::Hints;
use crate::terminal::Input;

/// The number of a pending question of the agent.
pub(crate) type Token = u64;

/// An event.
#[derive(Debug)]
pub(crate) enum Event {
    /// The user typed, pasted, or resized the terminal.
    Input(Input),
    /// An event of the session.
    Told(What),
    /// The agent asks whether a call may run.
    Asked(Token, Box<Ask>),
    /// The model asks the user.
    Question(Token, Question),
    /// The model proposes a plan.
    Review(Token, Plan),
    /// The turn is over.
    Ended(Box<End>),
    /// The requested compaction has ended; whether anything was replaced.
    Compacted(bool),
    /// The summary is written; whether the model wrote it.
    Summarised(bool),
    /// A session is open: the first one, a new one, or a resumed one.
    Opened(Box<Opened>),
    /// An operation that the user requested has failed; one message per line.
    Failed(Vec<String>),
    /// Messages for the user, one per line.
    Noted(Vec<String>),
    /// The available models.
    Models(Vec<String>),
    /// Other sessions of this folder, the newest first.
    Sessions(Vec<SessionSummary>),
    /// The folder has configuration that the user has not decided on: the folder as displayed, and a line per part.
    Foreign(String, Vec<String>),
    /// The last session in this folder has unfinished work.
    OpenWork(Box<SessionSummary>),
    /// Completions for `@`.
    Paths(Vec<String>),
    /// The user's own command has ended: its exit code, and what it printed.
    CommandEnded(Option<i32>, String),
    /// The new key is saved, or not and why.
    KeySaved(Result<(), String>),
    /// How much of the window is used, and how large it is, in tokens.
    Room(u64, u64),
    /// A signal requests the end of the program.
    Signal(Exit),
    /// Time has passed while something animated is shown.
    Tick,
}

/// Work for the driver.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Run a turn with this prompt; the files that `@` names are attached.
    Turn(String),
    /// Interrupt the turn, the command or the summary that is running.
    Interrupt,
    /// The answer to [`Event::Asked`].
    Permit(Token, Answer),
    /// The answer to [`Event::Question`].
    Choose(Token, Choice),
    /// The answer to [`Event::Review`].
    Review(Token, Review),
    /// Enter or leave plan mode.
    TogglePlan,
    /// Undo the file changes of a turn, or show what an undo would do.
    Undo(Undo),
    /// List the background commands, show the output of one, or end it.
    Tasks(Wish),
    /// Send this message before the next model call.
    Steer(u64, String),
    /// Withdraw that message, if it was not sent yet.
    TakeBack(u64),
    /// Store this input in the history.
    Remember(String),
    /// Compact the conversation now, with these instructions.
    Compact(Option<String>),
    /// Report how full the context window is.
    Measure,
    /// Use this model from now on.
    SetModel(String),
    /// List the permission rules.
    ListRules,
    /// Create the project's `.x-code`.
    Init,
    /// List, change or delete facts in memory.
    Memory(Memory),
    /// Undo the last fact that the model saved.
    TakeFactBack,
    /// List the folder's configuration, or agree to it.
    Trust(Consent),
    /// Store the user's decision about the folder's configuration, and begin.
    Begin(Loading),
    /// List the available models.
    ListModels,
    /// List the other sessions of this folder.
    ListSessions,
    /// Open a new session.
    Clear,
    /// Resume this session.
    Resume(SessionId),
    /// Take over the work of this session: its summary is added to the conversation.
    TakeOver(SessionId),
    /// Record that the user does not continue this session.
    Abandon(SessionId),
    /// Write the summary, by the model if it responds in time.
    Summarise,
    /// Run this shell command for the user.
    Run(String),
    /// Complete this path.
    FindPaths(String),
    /// Copy this to the clipboard.
    Copy(String),
    /// Save another key for this provider.
    SaveKey(Provider, Key),
    /// Notify the user that something waits.
    Call,
    /// End the program.
    Quit(Exit),
}

/// The user's decision about a folder's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// It is not loaded, and not asked about again until it changes.
    Never,
    /// It is not loaded this time.
    NotNow,
    /// It is loaded, from now on.
    Always,
}

/// A key that the user typed; it has no text form.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) String);

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(***)")
    }
}

/// An open session.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) id: SessionId,
    /// The model in use.
    pub(crate) model: String,
    /// The workspace's root, as displayed.
    pub(crate) cwd: String,
    /// The sandbox of commands.
    pub(crate) sandbox: &'static str,
    /// The permission mode.
    pub(crate) mode: PermitMode,
    /// The tokens it has used so far.
    pub(crate) usage: TokenUsage,
    /// Its cost so far; none where a price is not known.
    pub(crate) cost_usd: Option<f64>,
    /// Messages for the user about it, one per line.
    pub(crate) notes: Vec<String>,
    /// The session whose summary was taken over, with its title.
    pub(crate) taken_over: Option<(SessionId, String)>,
    /// The last messages of a resumed conversation, in order.
    pub(crate) before: Vec<Said>,
    /// Hints for failures of the provider.
    pub(crate) hints: Hints,
    /// Masks the keys.
    pub(crate) redactor: Redactor,
}

/// A message of a resumed conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// From the user.
    User(String),
    /// From the model.
    Model(String),
}
