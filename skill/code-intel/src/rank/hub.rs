//! How many imports name each file, about: by the last parts of what is imported, without resolving it.

use rustc_hash::FxHashMap;

use crate::view::View;

/// How often each module's name is imported.
pub(crate) struct Hubs<'v> {
    counts: FxHashMap<&'v str, u32>,
    most: f32,
}

/// Counts the imports of a view.
pub(crate) fn hubs(view: &View) -> Hubs<'_> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for file in view.files().filter(|file| file.language.is_some() && !file.is_test) {
        let (segment, record) = view.record(file.id);
        for module in segment.import_names(&record) {
            let mut parts = module.rsplit(['.', '/', ':']).filter(|part| !part.is_empty());
            for part in parts.by_ref().take(2) {
                *counts.entry(part).or_default() += 1;
            }
        }
    }
    let most = counts.values().copied().max().unwrap_or(0) as f32;
    Hubs { counts, most }
}

impl Hubs<'_> {
    /// From 0 for a file that nobody imports to 1 for the one that most do.
    pub(crate) fn weight(&self, path: &str) -> f32 {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        let stands_for_folder = matches!(stem, "__init__" | "index" | "lib" | "main" | "mod");
        let name = if stands_for_folder { folder.rsplit('/').next().unwrap_or(stem) } else { stem };
        let count = self.counts.get(name).copied().unwrap_or(0) as f32;
        (1.0 + count).ln() / (2.0 + self.most).ln()
    }
}
