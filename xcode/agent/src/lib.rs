//! The agent behind `xc`: a conversation with a model that may call tools, with a permission check before each call.
//!
//! A *turn* is everything from a prompt to its last answer; a *step* is one model call and the tool calls that it asks
//! for. The user is reached only through the interface [`Host`]: the crate prints nothing, reads no
//! command line and no environment variable, and knows no provider (`llm` does).

mod action;
mod address;
mod advisor;
mod arguments;
mod budget;
mod change;
mod checkpoint;
mod code;
mod compact;
mod conversation;
mod evidence;
mod guard;
mod host;
mod journal;
pub mod knowledge;
mod known_hosts;
mod mask;
mod permit;
mod places;
mod plan;
mod project_ledger;
mod prompt;
mod record;
mod result;
mod sandbox;
mod session;
pub mod sessions;
mod state;
mod step;
mod summary;
mod tag;
#[cfg(test)]
mod tests;
mod tool;
mod tools;
pub mod trust;
mod turn;
mod web;
mod words_of_model;
mod workspace;

pub use action::{Action, Bounds, Reach};
pub use advisor::{Advisor, advisor_tool};
pub use budget::TurnLimits;
pub use change::{Change, Hunk, HunkLine, Instead};
pub use checkpoint::{UndoWay, Undone};
pub use code::{Code, code_tools};
pub use host::{Answer, Ask, Choice, Host, Offer, Plan, PlanCheck, Question, Review};
pub use journal::{
    Continuing, INTERRUPTED, Journal, JournalError, Past, PastTasks, Unfinished, answered,
};
pub use known_hosts::KnownHosts;
pub use permit::{Binding, Judged, Permit, Policy, RuleFault, RuleList, Rules, SandboxedCommands};
pub use places::Places;
pub use project_ledger::{Hand, ProjectLedger, Risk};
pub use result::piped;
pub use sandbox::Sandbox;
pub use session::{Session, Setup};
pub use tag::unguessable_tag;
pub use tool::{Outcome, Running, Tool};
pub use tools::{
    Fencing, Shell, TaskEnd, TaskView, Tasks, ask_user_tool, choose_shell, command_environment,
    file_tools, foreign_environment, plan_tools, save_knowledge_tool, shell_task_tool, shell_tool,
    shell_version,
};
pub use web::{Network, SystemNetwork, Web, web_tools};
pub use workspace::{Workspace, WorkspaceError};
