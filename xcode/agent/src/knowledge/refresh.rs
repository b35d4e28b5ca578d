//! What happens to facts when a session begins: what the project's files say now replaces what they said, and what
//! was not said for long is forgotten. It reads some small files and waits for nothing; who has a first frame to paint
//! paints it before. Absent: who asks, and when.

use std::io;

use jiff::civil::Date;

use super::fact::Fact;
use super::language::Language;
use super::memory::{Memory, is_older_than};
use super::scan::{Scan, scan};
use super::store::{Scope, Store};
use crate::places::Places;
use crate::trust::{Part, Trust};

/// From how many days on a fact that still holds is dated anew. Each day would be a change of a file that a team
/// shares, for nothing: it is forgotten after many weeks at the earliest.
const RENEW_DAYS: i64 = 7;

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Refreshed {
    /// What the files of the project say, for a project without a file of facts.
    pub facts: Vec<Fact>,
    /// What could not be done, a line each.
    pub notes: Vec<String>,
}

/// Brings the facts up to date. A file of facts is changed where it is there and was agreed to, and is never made
/// here: to look at a project leaves nothing in it.
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

/// Whether a file is there and would change: without a change no lock is taken.
fn needs(store: &Store, change: impl FnOnce(&mut Memory) -> bool) -> bool {
    store.exists() && store.read().is_ok_and(|mut memory| change(&mut memory))
}

/// What was found, as facts.
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

/// Puts what was found into the facts. A fact that is there by its other name keeps that name.
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
