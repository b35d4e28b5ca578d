//! The project's file, `.x-code/config.json`. It comes with the project, so it may only make
//! permissions stricter, and choose when to compact and the language. Other settings in it are ignored and
//! reported.

use std::path::Path;

use host::Beneath;

use super::fault::Fault;
use super::fields::Fields;
use super::file::{OnDisk, compaction, language, read_object};

/// Its path relative to the workspace's root.
pub(super) const PLACE: &str = ".x-code/config.json";

/// The values in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ProjectFile {
    pub(super) language: Option<String>,
    pub(super) threshold: Option<f64>,
    pub(super) keep_share: Option<f64>,
    pub(super) ask: Vec<String>,
    pub(super) deny: Vec<String>,
    /// Whether code is added to prompts.
    pub(super) context: Option<bool>,
    /// The settings in it that a project must not set.
    pub(super) ignored: Vec<String>,
}

/// Reads the file of the project at `root`, without following any link in its path.
pub(super) fn read(root: &Path, faults: &mut Vec<Fault>) -> ProjectFile {
    let object = match read_object(Beneath::of(root).open(PLACE), PLACE) {
        OnDisk::Absent => return ProjectFile::default(),
        OnDisk::Object(object, _) => object,
        // An unreadable rule must not be treated as no rule.
        OnDisk::Fault(fault) => {
            faults.push(fault);
            return ProjectFile::default();
        }
    };
    let mut top = Fields::new(PLACE, object, faults);
    let language = language(&mut top);
    let mut inner = top.object("compaction");
    let (threshold, keep_share) = compaction(&mut inner);
    let mut ignored = inner.left();
    let mut inner = top.object("permissions");
    let ask = inner.texts("ask").unwrap_or_default();
    let deny = inner.texts("deny").unwrap_or_default();
    ignored.extend(inner.left());
    let mut inner = top.object("context");
    let context = inner.yes_or_no("enabled");
    ignored.extend(inner.left());
    ignored.extend(top.left());
    ProjectFile { language, threshold, keep_share, ask, deny, context, ignored }
}
