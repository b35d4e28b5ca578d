//! `xc` in a real pseudo-terminal, against the scripted model: what a user sees and types.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "xc_terminal/answers.rs"]
mod answers;
#[path = "xc_terminal/dialogs.rs"]
mod dialogs;
#[path = "xc_terminal/ends.rs"]
mod ends;
#[path = "xc_terminal/first_run.rs"]
mod first_run;
#[path = "xc_terminal/ledger.rs"]
mod ledger;
#[path = "xc_terminal/plan_check.rs"]
mod plan_check;
#[path = "xc_terminal/resumes.rs"]
mod resumes;
#[path = "xc_terminal/screen.rs"]
mod screen;
#[path = "xc_terminal/tasks.rs"]
mod tasks;
#[path = "xc_terminal/tmux.rs"]
mod tmux;
#[path = "xc_terminal/typing.rs"]
mod typing;
