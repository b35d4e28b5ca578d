//! The hook as the client starts it: a process, a call on standard input, one object or silence.

#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "the executable under test is started here")]

#[path = "hook/agents.rs"]
mod agents;
#[path = "hook/approver.rs"]
mod approver;
#[path = "hook/clone.rs"]
mod clone;
#[path = "hook/degraded.rs"]
mod degraded;
#[path = "hook/fixture.rs"]
mod fixture;
#[path = "hook/gate.rs"]
mod gate;
#[path = "hook/hostile.rs"]
mod hostile;
#[path = "hook/ledger.rs"]
mod ledger;
#[path = "hook/manifest.rs"]
mod manifest;
#[path = "hook/observed.rs"]
mod observed;
#[path = "hook/page.rs"]
mod page;
#[path = "hook/people.rs"]
mod people;
#[path = "hook/pin.rs"]
mod pin;
#[path = "hook/plugin.rs"]
mod plugin;
#[path = "hook/review.rs"]
mod review;
#[path = "hook/reviewed.rs"]
mod reviewed;
#[path = "hook/sequences.rs"]
mod sequences;
#[path = "hook/slow.rs"]
mod slow;
#[path = "hook/terminal.rs"]
mod terminal;
#[path = "hook/together.rs"]
mod together;
#[path = "hook/ways.rs"]
mod ways;
