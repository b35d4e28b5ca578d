//! Resolves an import to a file. Module paths of every language are treated the same way: as the end of a
//! file's path without its extension; relative ones are resolved against the importing file.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::Import;
use crate::index::segment::Segment;
use crate::language::Language;
use crate::view::{File, FileId, View};

/// File names that represent their folder.
const FOLDER_FILES: [&str; 5] = ["__init__", "index", "lib", "main", "mod"];
/// Folders below which module paths begin.
const SOURCE_FOLDERS: [&str; 5] = ["src", "lib", "python", "source", "src/main/java"];
/// Maximum number of files for the import of a folder.
const MAX_TARGETS: usize = 64;

/// The imports of a view, resolved per file on demand.
pub(super) struct Imports<'v> {
    lookup: Lookup<'v>,
    /// The resolved imports of each queried file, sorted.
    targets: RefCell<FxHashMap<FileId, Rc<[FileId]>>>,
    /// For each segment, its files by imported module; built on first use.
    by_module: OnceCell<Vec<ByModule>>,
}

/// The files of a segment by imported module.
struct ByModule {
    /// The imported modules, by their name numbers.
    modules: Vec<u32>,
    /// Start of each module's files in `files`; plus the end.
    begins: Vec<usize>,
    /// Positions of files.
    files: Vec<u32>,
}

/// Files by the names that an import may use.
struct Lookup<'v> {
    /// By the path without its extension, and without the name of a file that represents its folder.
    by_key: FxHashMap<&'v str, Vec<FileId>>,
    /// The keys by their last component.
    by_last: FxHashMap<&'v str, Vec<&'v str>>,
    /// Files of languages that import by path.
    by_path: FxHashMap<&'v str, FileId>,
}

impl<'v> Imports<'v> {
    pub(super) fn new(view: &'v View) -> Self {
        Self { lookup: Lookup::new(view), targets: RefCell::default(), by_module: OnceCell::new() }
    }

    /// The files that a file imports, sorted.
    pub(super) fn targets_of(&self, view: &View, from: FileId) -> Rc<[FileId]> {
        if let Some(known) = self.targets.borrow().get(&from) {
            return known.clone();
        }
        let file = view.file(from);
        let (segment, record) = view.record(from);
        let mut found: Vec<FileId> = Vec::new();
        for (module, _) in segment.imports(&record) {
            found.extend(self.lookup.targets(file.language, file.path, segment.name(module)));
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[FileId]> = found.into();
        self.targets.borrow_mut().insert(from, found.clone());
        found
    }

    /// The files that import a file, sorted. Only imports that mention its name, or are relative, are resolved.
    pub(super) fn importers(&self, view: &View, target: FileId) -> Vec<FileId> {
        let naming = Naming::new(view.file(target).path);
        let by_module =
            self.by_module.get_or_init(|| view.segments().iter().map(ByModule::of).collect());
        let mut importers = Vec::new();
        for (number, (segment, by_module)) in view.segments().iter().zip(by_module).enumerate() {
            for (module, files) in by_module.iter() {
                let text = segment.name(module);
                // Languages whose modules are resolved the same way use the same names.
                let language = files.first().and_then(|file| segment.file(*file).language);
                if !language.is_some_and(|language| naming.may_name(language, text)) {
                    continue;
                }
                for &position in files {
                    let id = view.id(number, position);
                    let record = segment.file(position);
                    let path = segment.path(&record);
                    if view.is_live(id)
                        && id != target
                        && self.lookup.targets(record.language, path, text).contains(&target)
                    {
                        importers.push(id);
                    }
                }
            }
        }
        importers.sort_unstable();
        importers.dedup();
        importers
    }

    pub(super) fn of(&self, view: &View, id: FileId) -> Vec<Import> {
        let file = view.file(id);
        let (segment, record) = view.record(id);
        let found = segment.imports(&record).map(|(module, line)| {
            let text = segment.name(module).to_owned();
            let targets = self.lookup.targets(file.language, file.path, &text);
            let target = targets.first().copied().filter(|target| *target != id);
            Import { text, line, target }
        });
        found.collect()
    }
}

impl ByModule {
    fn of(segment: &Segment) -> Self {
        let mut pairs = Vec::new();
        let mut counts = vec![0_usize; segment.name_count() as usize];
        for position in 0..segment.file_count() {
            let record = segment.file(position);
            if record.language.is_none() {
                continue;
            }
            let mut last = None;
            for (module, _) in segment.imports(&record) {
                if last.replace(module) != Some(module)
                    && let Some(count) = counts.get_mut(module as usize)
                {
                    *count += 1;
                    pairs.push((module as usize, position));
                }
            }
        }
        let (mut modules, mut begins, mut end) = (Vec::new(), Vec::new(), 0);
        for (module, count) in (0..).zip(&mut counts).filter(|(_, count)| **count > 0) {
            modules.push(module);
            begins.push(end);
            end += std::mem::replace(count, end);
        }
        begins.push(end);
        // From here on `counts` is the position of the next file of a module.
        let mut files = vec![0; end];
        for (module, position) in pairs {
            files[counts[module]] = position;
            counts[module] += 1;
        }
        Self { modules, begins, files }
    }

    /// Each module with its files.
    fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let files = self.begins.windows(2).map(|bounds| &self.files[bounds[0]..bounds[1]]);
        self.modules.iter().copied().zip(files)
    }
}

/// What an import must contain to refer to one file.
struct Naming<'t> {
    name: Finder<'t>,
    /// In Rust's notation.
    plain: String,
    folder: Finder<'t>,
}

impl<'t> Naming<'t> {
    fn new(path: &'t str) -> Self {
        let own = key(path);
        let name = own.rsplit('/').next().unwrap_or(own);
        let folder = own.rsplit('/').nth(1).unwrap_or(name);
        let plain = name.replace('-', "_");
        Self { name: Finder::new(name), plain, folder: Finder::new(folder) }
    }

    /// Whether a module, in the notation of a language, may refer to the file.
    fn may_name(&self, language: Language, module: &str) -> bool {
        match language {
            // `self` and `super` are not names, and `_` replaces `-`.
            Language::Rust => {
                module.starts_with(['s', '_']) || module.contains(self.plain.as_str())
            }
            // These languages import folders.
            Language::Go | Language::CSharp | Language::Swift => {
                self.folder.find(module.as_bytes()).is_some()
            }
            // Only dots refer to a folder.
            _ => {
                self.name.find(module.as_bytes()).is_some()
                    || module.bytes().all(|byte| matches!(byte, b'.' | b'/'))
            }
        }
    }
}

impl<'v> Lookup<'v> {
    fn new(view: &'v View) -> Self {
        let mut lookup = Self {
            by_key: FxHashMap::default(),
            by_last: FxHashMap::default(),
            by_path: FxHashMap::default(),
        };
        lookup.by_key.reserve(view.file_bound());
        for file in view.files() {
            let Some(language) = file.language else { continue };
            use Language::{CSharp, Go, Java, Kotlin, Python, Rust, Swift};
            if !matches!(language, CSharp | Go | Java | Kotlin | Python | Rust | Swift) {
                lookup.by_path.insert(file.path, file.id);
            }
            lookup.add(key(file.path), &file);
            // Go, C# and Swift import folders.
            if let (Go | CSharp | Swift, Some((folder, _)), false) =
                (language, file.path.rsplit_once('/'), file.is_test)
            {
                lookup.add(folder, &file);
            }
        }
        lookup
    }

    fn add(&mut self, key: &'v str, file: &File<'v>) {
        let files = self.by_key.entry(key).or_default();
        if files.is_empty() {
            let last = key.rsplit('/').next().unwrap_or(key);
            self.by_last.entry(last).or_default().push(key);
        }
        if files.len() < MAX_TARGETS {
            files.push(file.id);
        }
    }

    fn targets(&self, language: Option<Language>, path: &str, module: &str) -> &[FileId] {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match language {
            Some(Language::Python) => self.dotted(folder, module),
            Some(Language::Rust) => self.rust(path, module),
            Some(Language::Java | Language::Kotlin | Language::CSharp | Language::Swift) => {
                self.parts(folder, &split(module, '.'))
            }
            Some(Language::Php) if !module.starts_with('.') => {
                self.parts(folder, &split(module, '\\'))
            }
            Some(Language::Go) => self.parts(folder, &split(module, '/')),
            Some(_) => self.path(folder, module),
            None => &[],
        }
    }

    /// Python's `..a.b`.
    fn dotted(&self, folder: &str, module: &str) -> &[FileId] {
        let dots = module.len() - module.trim_start_matches('.').len();
        let parts = split(module.trim_start_matches('.'), '.');
        if dots == 0 {
            return self.parts(folder, &parts);
        }
        let mut base = split(folder, '/');
        base.truncate(base.len().saturating_sub(dots - 1));
        base.extend(parts);
        // The last part may be a name within the module.
        let whole = self.key(&base.join("/"));
        base.pop();
        if whole.is_empty() { self.key(&base.join("/")) } else { whole }
    }

    /// `crate::a::b`, `super::a`, `other_crate::a`.
    fn rust(&self, path: &str, module: &str) -> &[FileId] {
        let mut parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let own = key(path);
        let mut base: Vec<&str> = match parts.first().copied() {
            Some("crate") => {
                let source = own.split('/').position(|part| part == "src");
                own.split('/').take(source.map_or(0, |at| at + 1)).collect()
            }
            Some("self") => split(own, '/'),
            Some("super") => {
                let mut base = split(own, '/');
                base.pop();
                base
            }
            Some(first) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = first.replace('_', "-");
                let other = self.by_last.get("src").into_iter().flatten().find(|key| {
                    let package = key.strip_suffix("/src").unwrap_or("");
                    let package = package.rsplit('/').next().unwrap_or("");
                    package == name || package == first
                });
                let Some(other) = other else { return self.parts(folder, &parts) };
                split(other, '/')
            }
            None => return &[],
        };
        parts.remove(0);
        while parts.first() == Some(&"super") {
            parts.remove(0);
            base.pop();
        }
        base.extend(&parts);
        // The last parts may be names within the module.
        for _ in 0..3 {
            let found = self.key(&base.join("/"));
            if !found.is_empty() {
                return found;
            }
            base.pop();
        }
        &[]
    }

    /// A path, relative or not, with or without its extension.
    fn path(&self, folder: &str, module: &str) -> &[FileId] {
        let mut base = split(folder, '/');
        for part in split(module, '/') {
            match part {
                "." => {}
                ".." => drop(base.pop()),
                part => base.push(part),
            }
        }
        let whole = base.join("/");
        if let Some(id) = self.by_path.get(whole.as_str()) {
            return std::slice::from_ref(id);
        }
        let found = self.key(&whole);
        let found = if found.is_empty() { self.key(key(&whole)) } else { found };
        if !found.is_empty() || module.starts_with('.') {
            return found;
        }
        self.parts(folder, &split(key(module), '/'))
    }

    fn key(&self, key: &str) -> &[FileId] {
        self.by_key.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The file whose path ends with these parts; if the last part or two are names within
    /// a file, without them.
    fn parts(&self, folder: &str, parts: &[&str]) -> &[FileId] {
        for length in (1..=parts.len()).rev().take(3) {
            let (wanted, last) = (&parts[..length], parts[length - 1]);
            let keys = self.by_last.get(last).into_iter().flatten();
            let fits = keys.filter(|key| {
                before(key, wanted).is_some_and(|before| {
                    let outside = before.is_empty() || SOURCE_FOLDERS.contains(&before);
                    outside || before == folder || length > 1
                })
            });
            let common = |key: &&&str| {
                key.bytes().zip(folder.bytes()).take_while(|(one, other)| one == other).count()
            };
            if let Some(key) = fits.max_by_key(common) {
                return self.key(key);
            }
        }
        &[]
    }
}

/// The path before these last parts; `None` if it does not end with them.
fn before<'k>(key: &'k str, parts: &[&str]) -> Option<&'k str> {
    let mut rest = key;
    for (position, part) in parts.iter().rev().enumerate() {
        if position > 0 {
            rest = rest.strip_suffix('/')?;
        }
        rest = rest.strip_suffix(part)?;
    }
    if rest.is_empty() { Some(rest) } else { rest.strip_suffix('/') }
}

fn split(path: &str, separator: char) -> Vec<&str> {
    path.split(separator).filter(|part| !part.is_empty()).collect()
}

/// A path without its extension, and without the name of a file that represents its folder.
fn key(path: &str) -> &str {
    let name_at = path.rfind('/').map_or(0, |at| at + 1);
    let name = &path[name_at..];
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    match (name_at, FOLDER_FILES.contains(&stem)) {
        (0, _) | (_, false) => &path[..name_at + stem.len()],
        (_, true) => &path[..name_at - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_path_that_imports_name() {
        for (path, expected) in [
            ("a/b/c.py", "a/b/c"),
            ("a/b/__init__.py", "a/b"),
            ("mod.rs", "mod"),
            ("src/lib.rs", "src"),
            ("x.test.ts", "x"),
            ("/a", "/a"),
        ] {
            assert_eq!(key(path), expected, "{path}");
        }
    }

    #[test]
    fn the_end_of_a_path_is_whole_parts() {
        assert_eq!(before("a/b/c", &["b", "c"]), Some("a"));
        assert_eq!(before("b/c", &["b", "c"]), Some(""));
        assert_eq!(before("a/xb/c", &["b", "c"]), None);
        assert_eq!(before("c", &["b", "c"]), None);
    }
}
