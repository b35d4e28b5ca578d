//! `xc` from outside: the program as a process, over a real socket, against the scripted model.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "xc/advisor.rs"]
mod advisor;
#[path = "xc/background.rs"]
mod background;
#[path = "xc/commands.rs"]
mod commands;
#[path = "xc/exits.rs"]
mod exits;
#[path = "xc/fixture.rs"]
mod fixture;
#[path = "xc/formats.rs"]
mod formats;
#[path = "xc/input.rs"]
mod input;
#[path = "xc/keys.rs"]
mod keys;
#[path = "xc/knowledge.rs"]
mod knowledge;
#[path = "xc/newcomer.rs"]
mod newcomer;
#[path = "xc/one_variable.rs"]
mod one_variable;
#[path = "xc/permissions.rs"]
mod permissions;
#[path = "xc/projects.rs"]
mod projects;
#[path = "xc/sandbox.rs"]
mod sandbox;
#[path = "xc/sessions.rs"]
mod sessions;
#[path = "xc/stages.rs"]
mod stages;
