//! Files as this call and the session know them: what was written, what is looked at because it runs,
//! and what is written now. The host is asked only for what a command names or implies.

use std::collections::HashSet;

use super::state::File;
use super::walk::Walker;
use crate::context::Entry;
use crate::field::{Taint, UNKNOWN};
use crate::judgement::{Extent, Source, Target};
use crate::path::{absolute, within};

/// The most files that a judgement names as read or written.
const FILES_MAX: usize = 512;

/// What a judgement read and what the call writes.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) used: Vec<String>,
    known: HashSet<String>,
    pub(crate) writes: Vec<Target>,
}

impl Walker<'_> {
    /// A file that this call or the session wrote. What is found counts as read.
    pub(crate) fn file(&mut self, path: &str) -> Option<&File> {
        if !path.starts_with('/') || path.contains(UNKNOWN) {
            return self.state.files.get(path);
        }
        if !self.state.files.contains_key(path) {
            let real = self.context.disk.resolve(path).unwrap_or_else(|| path.to_owned());
            if let Some(file) = self.state.files.get(&real).cloned() {
                self.state.files.insert(path.to_owned(), file);
            } else if let Some(written) = self.context.disk.written(&real) {
                let network = self.context.disk.fetched(&real) == Some(Extent::File);
                let file = File {
                    content: written.content.unwrap_or_else(|| UNKNOWN.to_string()),
                    taint: Taint { network, ..Taint::default() },
                };
                self.uses(&real);
                self.state.files.insert(path.to_owned(), file);
            }
        }
        self.state.files.get(path)
    }

    /// Whether this call or the session wrote a file.
    pub(crate) fn is_written(&mut self, path: &str) -> bool {
        self.file(path).is_some()
    }

    /// The files that this call or the session is known to have written.
    pub(crate) fn wrote(&self) -> Vec<String> {
        let mut files: Vec<String> = self.state.files.keys().cloned().collect();
        files.extend(self.context.disk.wrote());
        files.sort();
        files.dedup();
        files
    }

    /// What the call means depends on this file: it is executed, or read by what is.
    pub(crate) fn uses(&mut self, path: &str) {
        if !path.starts_with('/') || path.contains(UNKNOWN) || self.ledger.used.len() >= FILES_MAX {
            return;
        }
        let real = self.context.disk.resolve(path).unwrap_or_else(|| path.to_owned());
        if self.ledger.known.insert(real.clone())
            && !matches!(self.context.disk.entry(&real), Entry::Missing | Entry::Unanswered)
        {
            self.ledger.used.push(real);
        }
    }

    /// The call writes there, as seen from the present working folder.
    pub(crate) fn target(&mut self, path: &str, extent: Extent, source: Source) {
        let path = absolute(path, &self.state.cwd);
        if !path.starts_with('/') || path.contains(UNKNOWN) || path.starts_with("/dev/") {
            return;
        }
        let path = self.context.disk.resolve(&path).unwrap_or(path);
        // Where everything lies, not everything is new.
        let whole = [self.context.cwd, self.context.project, self.context.home, &self.state.cwd];
        let wide = whole.iter().any(|folder| within(folder, &path));
        let extent = if wide { Extent::File } else { extent };
        if let Some(known) = self.ledger.writes.iter_mut().find(|target| target.path == path) {
            known.extent = known.extent.max(extent);
            known.source = known.source.max(source);
        } else if self.ledger.writes.len() < FILES_MAX {
            self.ledger.writes.push(Target { path, extent, source });
        }
    }
}
