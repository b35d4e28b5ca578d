//! What happens to a conversation, and what it wants done: the two sides of [`update`](super::update::update).

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

/// A question of the agent that waits, by its number.
pub(crate) type Token = u64;

/// Something happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// The user typed, pasted, or has another window.
    Input(Input),
    /// The session tells something.
    Told(What),
    /// May this call run?
    Asked(Token, Box<Ask>),
    /// The model asks the user.
    Question(Token, Question),
    /// The model proposes a plan.
    Review(Token, Plan),
    /// The turn is over.
    Ended(Box<End>),
    /// The compaction that the user asked for is over; whether anything was replaced.
    Compacted(bool),
    /// The summary is written; whether in the words of the model.
    Summarised(bool),
    /// A session is there: the first one, an empty one, one that goes on.
    Opened(Box<Opened>),
    /// Something that the user wanted cannot be done; a line each.
    Failed(Vec<String>),
    /// Something that the user should know; a line each.
    Noted(Vec<String>),
    /// The models that can be asked.
    Models(Vec<String>),
    /// Other sessions of this folder, the newest first.
    Sessions(Vec<SessionSummary>),
    /// The folder brings what the user has not said a word to: the folder as it is shown, and a line for each part.
    Foreign(String, Vec<String>),
    /// The last session here has open work.
    OpenWork(Box<SessionSummary>),
    /// What may stand behind `@`.
    Paths(Vec<String>),
    /// The user's own command has ended: its exit code, and what it printed.
    CommandEnded(Option<i32>, String),
    /// The new key is saved, or not and why.
    KeySaved(Result<(), String>),
    /// How much of the window is used, and how large it is, in tokens.
    Room(u64, u64),
    /// A signal asks for the end.
    Signal(Exit),
    /// Time went by while something moves.
    Tick,
}

/// Something is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Work on this prompt; what `@` names in it goes along.
    Turn(String),
    /// End the turn, the command or the summary that is under way.
    Interrupt,
    /// The answer to [`Event::Asked`].
    Permit(Token, Answer),
    /// The answer to [`Event::Question`].
    Choose(Token, Choice),
    /// The answer to [`Event::Review`].
    Review(Token, Review),
    /// Begin plan mode, or end it.
    TogglePlan,
    /// Take back what a turn changed on disk, or show what that would be.
    Undo(Undo),
    /// List the commands in the background, show what one printed, or end it.
    Tasks(Wish),
    /// Say this before the next model call.
    Steer(u64, String),
    /// Say it no more, where it was not said yet.
    TakeBack(u64),
    /// Remember this input.
    Remember(String),
    /// Compact now, with this in mind.
    Compact(Option<String>),
    /// Say how full the window is.
    Measure,
    /// Ask this model from now on.
    SetModel(String),
    /// Say which rules decide about calls.
    ListRules,
    /// Make the project's `.x-code`.
    Init,
    /// Show what is remembered, change it, or forget it.
    Memory(Memory),
    /// Take the last fact back that the model kept.
    TakeFactBack,
    /// Say what the folder brings, or agree to it.
    Trust(Consent),
    /// Keep what the user says to what the folder brings, and begin.
    Begin(Loading),
    /// List the models that can be asked.
    ListModels,
    /// List the other sessions of this folder.
    ListSessions,
    /// Begin an empty session.
    Clear,
    /// Go on with this session.
    Resume(SessionId),
    /// Take the work of this session over: its summary goes along.
    TakeOver(SessionId),
    /// The user does not go on with this session.
    Abandon(SessionId),
    /// Write the summary, in the model's words if they come in time.
    Summarise,
    /// Run this for the user.
    Run(String),
    /// Look for paths that begin so.
    FindPaths(String),
    /// Put this into the clipboard.
    Copy(String),
    /// Keep another key of this provider.
    SaveKey(Provider, Key),
    /// Call the user, who has let something wait.
    Call,
    /// Leave.
    Quit(Exit),
}

/// What becomes of what a folder brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// It is not loaded, and not asked about again until it changes.
    Never,
    /// It is not loaded this time.
    NotNow,
    /// It is loaded, from now on.
    Always,
}

/// A key that was typed; it has no text form.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) String);

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(***)")
    }
}

/// A session that is there.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) id: SessionId,
    /// The model that is asked.
    pub(crate) model: String,
    /// The root of the workspace, as it is shown.
    pub(crate) cwd: String,
    /// What confines commands.
    pub(crate) sandbox: &'static str,
    /// How calls are judged.
    pub(crate) mode: PermitMode,
    /// What it took so far.
    pub(crate) usage: TokenUsage,
    /// What that cost; none where a price is not known.
    pub(crate) cost_usd: Option<f64>,
    /// What the user should know of it, a line each.
    pub(crate) notes: Vec<String>,
    /// The session whose summary goes along, with its title.
    pub(crate) taken_over: Option<(SessionId, String)>,
    /// The end of what was said before, in order.
    pub(crate) before: Vec<Said>,
    /// What can be done where the provider fails.
    pub(crate) hints: Hints,
    /// Knows the keys.
    pub(crate) redactor: Redactor,
}

/// A part of a conversation that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// The user said it.
    User(String),
    /// The model said it.
    Model(String),
}
