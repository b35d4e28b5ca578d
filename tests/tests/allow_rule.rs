//! What the pre-approved command can be made to do, tested with 10,000 generated command lines, and what none
//! of our programs does for any arguments.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "allow_rule/fixture.rs"]
mod fixture;
#[path = "allow_rule/generated.rs"]
mod generated;
#[path = "allow_rule/hidden.rs"]
mod hidden;
#[path = "allow_rule/lines.rs"]
mod lines;
