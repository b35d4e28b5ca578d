//! The rules: a stable id, a level, and the sentence that a user reads. The tables that say what falls
//! under a rule are with the commands. Absent: code.

pub(crate) mod deferred;
pub(crate) mod environment;
pub(crate) mod execution;
pub(crate) mod files;
pub(crate) mod infrastructure;
pub(crate) mod network;
pub(crate) mod repository;
pub(crate) mod secrets;
pub(crate) mod tools;

use crate::level::Level;

/// One rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its stable name: `room.rule`.
    pub id: &'static str,
    /// The level of what falls under it.
    pub level: Level,
    /// Why, as a sentence.
    pub why: &'static str,
}

impl Rule {
    const fn l1(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L1, why }
    }

    const fn l2(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L2, why }
    }

    const fn l3(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L3, why }
    }
}

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
