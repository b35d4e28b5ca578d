//! What a rule is. Not here: rules.

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
    pub(super) const fn l1(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L1, why }
    }

    pub(super) const fn l2(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L2, why }
    }

    pub(super) const fn l3(id: &'static str, why: &'static str) -> Self {
        Self { id, level: Level::L3, why }
    }
}
