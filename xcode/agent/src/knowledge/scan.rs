//! Scans a project's files for facts, without a model. Findings are expressed in our own words:
//! versions, known names, the package manager's own commands. So an untrusted file cannot inject text
//! through them. Not here: the use of the facts.

mod files;
mod found;
mod manifests;
mod node;
mod python;
mod version;

use crate::places::Places;
use crate::workspace::Workspace;

use files::Files;
pub(crate) use found::{Finding, Scan};

/// Reads the files at the root of the workspace.
pub(crate) fn scan(places: &Places) -> Scan {
    let Ok(root) = Workspace::open(places.root(), &[]) else { return Scan::default() };
    let files = Files::new(root);
    let mut scan = Scan::default();
    node::scan(&files, &mut scan);
    manifests::scan(&files, &mut scan);
    python::scan(&files, &mut scan);
    manifests::make(&files, &mut scan);
    scan
}

#[cfg(test)]
mod tests;
