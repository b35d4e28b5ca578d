//! The rules: a stable id, a level, and the sentence that a user reads. The tables that say what falls
//! under a rule are with the commands. Not here: code.

pub(crate) mod deferred;
pub(crate) mod environment;
pub(crate) mod execution;
pub(crate) mod files;
pub(crate) mod infrastructure;
pub(crate) mod network;
pub(crate) mod repository;
mod rule;
pub(crate) mod secrets;
pub(crate) mod tools;

pub use rule::Rule;

/// The names of all rules, for a host whose user says something about one.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    let rooms = [
        deferred::ALL,
        environment::ALL,
        execution::ALL,
        files::ALL,
        infrastructure::ALL,
        network::ALL,
        repository::ALL,
        secrets::ALL,
        tools::ALL,
    ];
    rooms.into_iter().flatten().map(|rule| rule.id)
}
