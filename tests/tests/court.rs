//! The court in the real Claude Code client: a scripted model, everything else as a user has it.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "a person's commands are started here")]

#[path = "court/advice.rs"]
mod advice;
#[path = "court/approval.rs"]
mod approval;
#[path = "court/clone.rs"]
mod clone;
#[path = "court/degraded.rs"]
mod degraded;
#[path = "court/facts.rs"]
mod facts;
#[path = "court/fixture.rs"]
mod fixture;
#[path = "court/gates.rs"]
mod gates;
#[path = "court/ledger.rs"]
mod ledger;
#[path = "court/litter.rs"]
mod litter;
#[path = "court/nodes.rs"]
mod nodes;
#[path = "court/page.rs"]
mod page;
#[path = "../../skill/court/court/tests/hook/terminal.rs"]
mod terminal;
#[path = "court/wiring.rs"]
mod wiring;
#[path = "court/with_xc.rs"]
mod with_xc;
