//! Counts what a judgement asks of the host's file system, and asks nothing twice. Not here: the file
//! system itself.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::context::{Disk, Entry, Identity, Written};
use crate::judgement::Extent;
use crate::limits::{LOOKUPS_MAX, Limit};

/// Bytes of a path that cost as much as one look-up: the system walks it part by part.
const PATH_BYTES: usize = 64;

/// The host's file system behind a budget. Over it, nothing is asked any more, and the call cannot be
/// judged.
pub(crate) struct Lookups<'a> {
    disk: &'a dyn Disk,
    left: Cell<usize>,
    fault: Cell<Option<Limit>>,
    entries: RefCell<HashMap<String, Entry>>,
    reals: RefCell<HashMap<String, Option<String>>>,
    identities: RefCell<HashMap<String, Option<Identity>>>,
    files: RefCell<HashMap<String, Option<Written>>>,
}

impl<'a> Lookups<'a> {
    pub(crate) fn new(disk: &'a dyn Disk) -> Self {
        Self {
            disk,
            left: Cell::new(LOOKUPS_MAX),
            fault: Cell::new(None),
            entries: RefCell::default(),
            reals: RefCell::default(),
            identities: RefCell::default(),
            files: RefCell::default(),
        }
    }

    /// Why not everything could be looked up.
    pub(crate) fn fault(&self) -> Option<Limit> {
        self.fault.get().or_else(|| self.disk.gave_up().then_some(Limit::Unanswered))
    }

    fn may_ask(&self, path: &str) -> bool {
        let cost = 1 + path.len() / PATH_BYTES;
        match self.left.get().checked_sub(cost) {
            Some(left) if self.fault.get().is_none() => {
                self.left.set(left);
                true
            }
            Some(_) => false,
            None => {
                self.fault.set(Some(Limit::Lookups));
                false
            }
        }
    }
}

impl Disk for Lookups<'_> {
    fn entry(&self, path: &str) -> Entry {
        if let Some(entry) = self.entries.borrow().get(path) {
            return entry.clone();
        }
        if !self.may_ask(path) {
            return Entry::Unanswered;
        }
        let entry = self.disk.entry(path);
        if entry == Entry::Unanswered {
            self.fault.set(Some(Limit::Unanswered));
        }
        self.entries.borrow_mut().insert(path.to_owned(), entry.clone());
        entry
    }

    fn identity(&self, path: &str) -> Option<Identity> {
        if let Some(identity) = self.identities.borrow().get(path) {
            return *identity;
        }
        let identity = if self.may_ask(path) { self.disk.identity(path) } else { None };
        self.identities.borrow_mut().insert(path.to_owned(), identity);
        identity
    }

    fn written(&self, path: &str) -> Option<Written> {
        if let Some(file) = self.files.borrow().get(path) {
            return file.clone();
        }
        let file = if self.may_ask(path) { self.disk.written(path) } else { None };
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    fn names(&self, folder: &str) -> Vec<String> {
        if self.may_ask(folder) { self.disk.names(folder) } else { Vec::new() }
    }

    fn lists(&self, project: &str, package: &str) -> bool {
        self.may_ask(project) && self.disk.lists(project, package)
    }

    fn search(&self) -> Vec<String> {
        self.disk.search()
    }

    fn wrote(&self) -> Vec<String> {
        self.disk.wrote()
    }

    fn fetched(&self, path: &str) -> Option<Extent> {
        self.disk.fetched(path)
    }

    fn resolve(&self, path: &str) -> Option<String> {
        if let Some(real) = self.reals.borrow().get(path) {
            return real.clone();
        }
        let real = Uncached(self).resolve(path);
        self.reals.borrow_mut().insert(path.to_owned(), real.clone());
        real
    }
}

/// The way from the root downwards, as [`Disk`] provides it.
struct Uncached<'l, 'a>(&'l Lookups<'a>);

impl Disk for Uncached<'_, '_> {
    fn entry(&self, path: &str) -> Entry {
        self.0.entry(path)
    }
}
