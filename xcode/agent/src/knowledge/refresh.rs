//! Updates the facts when a session begins: what the project's files contain now replaces older findings, and facts that
//! were not confirmed for long are removed. It reads some small files and does not block otherwise; an interactive caller
//! paints its first frame before. Not here: who calls it, and when.

use std::io;

use jiff::civil::Date;

use super::fact::Fact;
use super::language::Language;
use super::memory::{Memory, is_older_than};
use super::scan::{Scan, scan};
use super::store::{Scope, Store};
use crate::places::Places;
use crate::trust::{Part, Trust};

/// After how many days a fact that is still true gets a new date. Doing so every day would needlessly change a file that a team
/// shares: a fact is removed after many weeks at the earliest.
const RENEW_DAYS: i64 = 7;

/// The result of a refresh.
#[derive(Debug, Clone, Default)]
pub struct Refreshed {
    /// The findings in the project's files, for a project without a file of facts.
    pub facts: Vec<Fact>,
    /// What failed, one message per line.
    pub notes: Vec<String>,
}

/// Updates the facts. A file of facts is changed if it exists and the user agreed to it, and is never created
/// here: looking at a project must not change it.
#[must_use]
pub fn refresh(
    places: &Places,
    trust: &Trust,
    evict_days: u64,
    language: Language,
    today: Date,
) -> Refreshed {
    let found = scan(places);
    let mut refreshed = Refreshed { facts: facts(&found, language, today), notes: Vec::new() };
    let mut done = |store: &Store, done: io::Result<usize>| {
        if let Err(error) = done {
            refreshed
                .notes
                .push(format!("{} cannot be brought up to date: {error}", store.shown()));
        }
    };
    let global = Store::new(places, Scope::Global);
    if needs(&global, |memory| memory.evict(today, evict_days) > 0) {
        done(&global, global.change(|memory| memory.evict(today, evict_days)));
    }
    let project = Store::new(places, Scope::Project);
    let update = |memory: &mut Memory| {
        let before = memory.clone();
        renew(memory, &found, language, today);
        memory.evict(today, evict_days);
        *memory != before
    };
    if trust.allows(Part::Memory) && needs(&project, update) {
        done(&project, project.change(|memory| usize::from(update(memory))));
    }
    refreshed
}

/// Whether the file exists and would change; otherwise no lock is taken.
fn needs(store: &Store, change: impl FnOnce(&mut Memory) -> bool) -> bool {
    store.exists() && store.read().is_ok_and(|mut memory| change(&mut memory))
}

/// The findings as facts.
pub(crate) fn facts(scan: &Scan, language: Language, today: Date) -> Vec<Fact> {
    let fact = |finding: &super::scan::Finding| Fact {
        category: finding.topic.category(),
        key: finding.topic.key(language).to_owned(),
        fact: finding.value.clone(),
        date: today,
    };
    let mut facts: Vec<Fact> = scan.findings.iter().map(fact).collect();
    facts.sort_by_key(|fact| fact.category);
    facts
}

/// Merges the findings into the facts. A fact that exists under its name in the other language keeps that name.
pub(crate) fn renew(memory: &mut Memory, scan: &Scan, language: Language, today: Date) {
    let language = memory.language().unwrap_or(language);
    for finding in &scan.findings {
        let (category, keys) = (finding.topic.category(), finding.topic.keys());
        let is_it = |fact: &&Fact| fact.category == category && keys.is(&fact.key);
        let old = memory.facts().find(is_it);
        let holds = |fact: &Fact| {
            fact.fact == finding.value && !is_older_than(fact.date, today, RENEW_DAYS)
        };
        if old.is_some_and(holds) {
            continue;
        }
        let key = old.map_or_else(|| finding.topic.key(language).to_owned(), |old| old.key.clone());
        let fact = Fact { category, key, fact: finding.value.clone(), date: today };
        memory.add(fact, &[keys.zh, keys.en], language);
    }
}

#[cfg(test)]
mod tests;
