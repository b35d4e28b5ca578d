//! What the files of a project say of it at a glance, without a model. What is found is put into words of ours:
//! versions, known names, the package manager's own commands. So a foreign file cannot speak
//! through it. Absent: where the facts go.

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
