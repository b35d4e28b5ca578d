//! The pages of the real daemon: who gets in, what each page shows, and what is told to open ones.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "a person's commands are started here")]

#[path = "window/attacks.rs"]
mod attacks;
#[path = "window/command.rs"]
mod command;
#[path = "window/context.rs"]
mod context;
#[path = "window/fixture.rs"]
mod fixture;
#[path = "window/lasting.rs"]
mod lasting;
#[path = "window/pages.rs"]
mod pages;
#[path = "window/projects.rs"]
mod projects;
#[path = "window/real_codex.rs"]
mod real_codex;
#[path = "window/signing_in.rs"]
mod signing_in;
#[path = "window/stream.rs"]
mod stream;
#[path = "../../skill/court/court/tests/hook/terminal.rs"]
mod terminal;
