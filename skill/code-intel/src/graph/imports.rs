//! Which file an import means. Module paths of every language are read the same way: as the end of a
//! file's path without its ending; what is relative is looked up where it stands.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::Import;
use crate::language::Language;
use crate::view::{FileId, View};

/// File names that stand for their folder.
const FOLDER_FILES: [&str; 5] = ["__init__", "index", "lib", "main", "mod"];
/// Folders that a module path begins below without naming them.
const SOURCE_FOLDERS: [&str; 5] = ["src", "lib", "python", "source", "src/main/java"];
/// So many files of a folder are meant by an import of the folder.
const MAX_TARGETS: usize = 64;

/// The imports of a view, resolved file by file as they are asked for.
pub(super) struct Imports {
    lookup: Lookup,
    /// What each file imports, as far as somebody asked.
    targets: RefCell<FxHashMap<FileId, Vec<FileId>>>,
}

/// Files by what an import may call them.
struct Lookup {
    /// By the path without its ending, and without the name of a file that stands for its folder.
    by_key: FxHashMap<String, Vec<FileId>>,
    /// The keys that end with a name.
    by_last: FxHashMap<String, Vec<String>>,
    by_path: FxHashMap<String, FileId>,
}

impl Imports {
    pub(super) fn new(view: &View) -> Self {
        Self { lookup: Lookup::new(view), targets: RefCell::default() }
    }

    pub(super) fn imports(&self, view: &View, from: FileId, target: FileId) -> bool {
        if let Some(known) = self.targets.borrow().get(&from) {
            return known.contains(&target);
        }
        let file = view.file(from);
        let (segment, record) = view.record(from);
        let mut found: Vec<FileId> = segment
            .imports(&record)
            .flat_map(|(module, _)| self.lookup.targets(file.language, file.path, &module))
            .collect();
        found.sort_unstable();
        found.dedup();
        let imports = found.contains(&target);
        self.targets.borrow_mut().insert(from, found);
        imports
    }

    /// The files that import a file. Only imports that name it, or are relative, are resolved.
    pub(super) fn importers(&self, view: &View, target: FileId) -> Vec<FileId> {
        let own = key(view.file(target).path);
        let name = own.rsplit('/').next().unwrap_or(&own);
        let folder = own.rsplit('/').nth(1).unwrap_or(name);
        let plain = name.replace('-', "_");
        let mut importers = Vec::new();
        for file in view.files().filter(|file| file.language.is_some() && file.id != target) {
            let (segment, record) = view.record(file.id);
            let names = |module: &str| match file.language {
                // `self` and `super` are no names, and `_` is written for `-`.
                Some(Language::Rust) => {
                    module.starts_with(['s', '_']) || module.contains(plain.as_str())
                }
                // Folders are imported.
                Some(Language::Go) => module.contains(folder),
                // Dots alone mean a folder.
                _ => {
                    module.contains(name) || module.bytes().all(|byte| matches!(byte, b'.' | b'/'))
                }
            };
            let mut modules = segment.imports(&record).filter(|(module, _)| names(module));
            let meant = |module: &str| {
                self.lookup.targets(file.language, file.path, module).contains(&target)
            };
            if modules.any(|(module, _)| meant(&module)) {
                importers.push(file.id);
            }
        }
        importers
    }

    pub(super) fn of(&self, view: &View, id: FileId) -> Vec<Import> {
        let file = view.file(id);
        let (segment, record) = view.record(id);
        let found = segment.imports(&record).map(|(text, line)| {
            let targets = self.lookup.targets(file.language, file.path, &text);
            let target = targets.first().copied().filter(|target| *target != id);
            Import { text, line, target }
        });
        found.collect()
    }
}

impl Lookup {
    fn new(view: &View) -> Self {
        let mut lookup = Self {
            by_key: FxHashMap::default(),
            by_last: FxHashMap::default(),
            by_path: FxHashMap::default(),
        };
        for file in view.files().filter(|file| file.language.is_some()) {
            lookup.by_path.insert(file.path.to_owned(), file.id);
            let mut keys = vec![key(file.path)];
            // Go and Java import folders.
            if let (Some(Language::Go), Some((folder, _)), false) =
                (file.language, file.path.rsplit_once('/'), file.is_test)
            {
                keys.push(folder.to_owned());
            }
            for key in keys {
                let files = lookup.by_key.entry(key.clone()).or_default();
                if files.is_empty() {
                    let last = key.rsplit('/').next().unwrap_or(&key).to_owned();
                    lookup.by_last.entry(last).or_default().push(key);
                }
                if files.len() < MAX_TARGETS {
                    files.push(file.id);
                }
            }
        }
        lookup
    }

    fn targets(&self, language: Option<Language>, path: &str, module: &str) -> Vec<FileId> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match language {
            Some(Language::Python) => self.dotted(folder, module),
            Some(Language::Rust) => self.rust(path, module),
            Some(Language::Java) => self.parts(folder, &split(module, '.')),
            Some(Language::Go) => self.parts(folder, &split(module, '/')),
            Some(_) => self.path(folder, module),
            None => Vec::new(),
        }
    }

    /// `..a.b` of Python.
    fn dotted(&self, folder: &str, module: &str) -> Vec<FileId> {
        let dots = module.len() - module.trim_start_matches('.').len();
        let parts = split(module.trim_start_matches('.'), '.');
        if dots == 0 {
            return self.parts(folder, &parts);
        }
        let mut base = split(folder, '/');
        base.truncate(base.len().saturating_sub(dots - 1));
        base.extend(parts);
        // The last part may be a name inside of the module.
        let whole = self.key(&base.join("/"));
        base.pop();
        if whole.is_empty() { self.key(&base.join("/")) } else { whole }
    }

    /// `crate::a::b`, `super::a`, `other_crate::a`.
    fn rust(&self, path: &str, module: &str) -> Vec<FileId> {
        let mut parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let own = key(path);
        let mut base: Vec<&str> = match parts.first().copied() {
            Some("crate") => {
                let source = own.split('/').position(|part| part == "src");
                own.split('/').take(source.map_or(0, |at| at + 1)).collect()
            }
            Some("self") => split(&own, '/'),
            Some("super") => {
                let mut base = split(&own, '/');
                base.pop();
                base
            }
            _ => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = parts.first().map(|name| name.replace('_', "-")).unwrap_or_default();
                let other = self.by_last.get("src").into_iter().flatten().find(|key| {
                    let package = key.strip_suffix("/src").unwrap_or("");
                    let package = package.rsplit('/').next().unwrap_or("");
                    package == name || Some(&package) == parts.first()
                });
                let Some(other) = other else { return self.parts(folder, &parts) };
                split(other, '/')
            }
        };
        parts.remove(0);
        while parts.first() == Some(&"super") {
            parts.remove(0);
            base.pop();
        }
        base.extend(&parts);
        // The last parts may be names inside of the module.
        for _ in 0..3 {
            let found = self.key(&base.join("/"));
            if !found.is_empty() {
                return found;
            }
            base.pop();
        }
        Vec::new()
    }

    /// A path, relative or not, with or without its ending.
    fn path(&self, folder: &str, module: &str) -> Vec<FileId> {
        let mut base = split(folder, '/');
        for part in split(module, '/') {
            match part {
                "." => {}
                ".." => drop(base.pop()),
                part => base.push(part),
            }
        }
        let whole = base.join("/");
        if let Some(id) = self.by_path.get(&whole) {
            return vec![*id];
        }
        let found = self.key(&whole);
        let found = if found.is_empty() { self.key(&key(&whole)) } else { found };
        if !found.is_empty() || module.starts_with('.') {
            return found;
        }
        let plain = key(module);
        self.parts(folder, &split(&plain, '/'))
    }

    fn key(&self, key: &str) -> Vec<FileId> {
        self.by_key.get(key).cloned().unwrap_or_default()
    }

    /// The file whose path ends with these parts; where the last part or two name something inside of
    /// a file, without them.
    fn parts(&self, folder: &str, parts: &[&str]) -> Vec<FileId> {
        for length in (1..=parts.len()).rev().take(3) {
            let (wanted, last) = (parts[..length].join("/"), parts[length - 1]);
            let keys = self.by_last.get(last).into_iter().flatten();
            let fits = keys.filter(|key| {
                let before = key.strip_suffix(wanted.as_str());
                before.is_some_and(|before| {
                    let before = before.trim_end_matches('/');
                    let outside = before.is_empty() || SOURCE_FOLDERS.contains(&before);
                    outside
                        || before == folder
                        || length > 1 && before.len() + wanted.len() < key.len()
                })
            });
            let common = |key: &&String| {
                key.bytes().zip(folder.bytes()).take_while(|(one, other)| one == other).count()
            };
            if let Some(key) = fits.max_by_key(common) {
                return self.key(key);
            }
        }
        Vec::new()
    }
}

fn split(path: &str, separator: char) -> Vec<&str> {
    path.split(separator).filter(|part| !part.is_empty()).collect()
}

/// A path without its ending, and without the name of a file that stands for its folder.
fn key(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    match (folder, FOLDER_FILES.contains(&stem)) {
        ("", true) => stem.to_owned(),
        ("", false) => stem.to_owned(),
        (folder, true) => folder.to_owned(),
        (folder, false) => format!("{folder}/{stem}"),
    }
}
