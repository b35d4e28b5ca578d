//! The file system as it is, and the session's part in it, for the gate. Every question is one look-up,
//! and the gate counts them. Not here: what a call means.

use std::cell::{Cell, OnceCell};
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use gate::{Disk, Entry, Extent, Identity, Written};

use crate::mounts::Unasked;
use crate::session::{Session, nanoseconds};

/// The largest file whose content is read, in bytes; a larger one counts as unknown.
const FILE_MAX: u64 = 128 << 10;
/// How much is read of all files together, in bytes.
const TOTAL_MAX: u64 = 1 << 20;
/// The most names that are read of one folder.
const NAMES_MAX: usize = 1_000;
/// Where a project says what it needs.
const MANIFESTS: [&str; 4] =
    ["package.json", "pyproject.toml", "requirements.txt", "requirements-dev.txt"];
/// How much of a file's beginning tells whether it is text, in bytes.
const HEAD: usize = 512;

/// The file system of this machine. Links are followed by the gate.
pub struct OnDisk<'a> {
    session: Box<dyn Fn() -> Session + 'a>,
    known: OnceCell<Session>,
    spent: Cell<Duration>,
    /// How long all look-ups of one call may take together; a file system that is slower cannot be judged by.
    spent_max: Duration,
    left: Cell<u64>,
    /// The folders of `PATH`.
    search: &'a str,
    /// Folders that answered before: the project and the home folder.
    folders: [&'a Path; 2],
    unasked: OnceCell<Unasked>,
    /// Whether a question was left without an answer.
    gave_up: Cell<bool>,
}

impl<'a> OnDisk<'a> {
    /// With the search path of the shell, the project and the home folder, how long all look-ups of one call may take
    /// together, and with what a session wrote; that is asked for once, and only where a file may be run.
    pub fn new(
        search: &'a str,
        folders: [&'a Path; 2],
        spent_max: Duration,
        session: impl Fn() -> Session + 'a,
    ) -> Self {
        Self {
            search,
            folders,
            unasked: OnceCell::new(),
            gave_up: Cell::new(false),
            session: Box::new(session),
            known: OnceCell::new(),
            spent: Cell::new(Duration::ZERO),
            spent_max,
            left: Cell::new(TOTAL_MAX),
        }
    }

    /// Whether a path may be looked at: nothing on the way makes the one who asks wait.
    pub fn answers(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        let real = self.resolve(&path);
        self.entry(real.as_deref().unwrap_or(&path)) != Entry::Unanswered
    }

    fn session(&self) -> &Session {
        self.known.get_or_init(&self.session)
    }

    /// What is found at a path; `None` where it took too long before, or where nothing is asked.
    fn timed<T>(&self, path: &str, look: impl FnOnce() -> T) -> Option<T> {
        let unasked = || self.unasked.get_or_init(|| Unasked::find(&self.folders));
        if self.spent.get() > self.spent_max || unasked().covers(path) {
            self.gave_up.set(true);
            return None;
        }
        let before = Instant::now();
        let found = look();
        self.spent.set(self.spent.get() + before.elapsed());
        Some(found)
    }

    /// The text of a file; none where it is too large for one call. A program that was built here is not
    /// read as a script.
    fn content(&self, path: &Path, metadata: &Metadata) -> Content {
        let size = metadata.len();
        let Ok(mut file) = File::open(path) else { return Content::Unknown };
        let mut bytes = vec![0; HEAD];
        let Ok(length) = file.read(&mut bytes) else { return Content::Unknown };
        bytes.truncate(length);
        if bytes.contains(&0) {
            return Content::Binary;
        }
        if size > FILE_MAX || size > self.left.get() {
            return Content::Unknown;
        }
        self.left.set(self.left.get() - size);
        match file.take(FILE_MAX).read_to_end(&mut bytes) {
            Ok(_) => Content::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Content::Unknown,
        }
    }
}

/// Whether a manifest has a package's whole name at the place of a key or a requirement: at the beginning
/// of a line or of a quoted text.
fn is_listed(text: &str, package: &str) -> bool {
    let begins = |at: usize| {
        text[..at].chars().next_back().is_none_or(|before| matches!(before, '"' | '\'' | '\n'))
    };
    let ends = |at: usize| {
        text[at..].chars().next().is_none_or(|after| {
            matches!(
                after,
                '"' | '\'' | '\n' | '\r' | ' ' | '=' | '<' | '>' | '~' | '!' | '[' | ';'
            )
        })
    };
    let mut found = text.match_indices(package);
    !package.is_empty() && found.any(|(at, _)| begins(at) && ends(at + package.len()))
}

enum Content {
    Text(String),
    Binary,
    Unknown,
}

impl Disk for OnDisk<'_> {
    fn entry(&self, path: &str) -> Entry {
        if path.contains('\0') {
            return Entry::Missing;
        }
        let look = || match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => match fs::read_link(path) {
                Ok(target) => Entry::Link(target.to_string_lossy().into_owned()),
                Err(_) => Entry::Other,
            },
            Ok(found) if found.is_dir() => Entry::Folder,
            Ok(_) => Entry::Other,
            // What may not be looked at is there.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Entry::Other,
            Err(_) => Entry::Missing,
        };
        self.timed(path, look).unwrap_or(Entry::Unanswered)
    }

    fn identity(&self, path: &str) -> Option<Identity> {
        let look = || {
            let found = fs::symlink_metadata(path).ok()?;
            let several = found.is_file() && found.nlink() > 1;
            several.then(|| Identity { device: found.dev(), inode: found.ino() })
        };
        self.timed(path, look).flatten()
    }

    fn written(&self, path: &str) -> Option<Written> {
        let look = || {
            let metadata = fs::symlink_metadata(path).ok()?;
            if !metadata.is_file()
                || !self.session().wrote(path, nanoseconds(metadata.ctime(), metadata.ctime_nsec()))
            {
                return None;
            }
            let content = match self.content(Path::new(path), &metadata) {
                Content::Text(text) => Some(text),
                Content::Unknown => None,
                Content::Binary if self.session().fetched(path) == Some(Extent::File) => None,
                Content::Binary => return None,
            };
            Some(Written { path: path.to_owned(), content })
        };
        self.timed(path, look).flatten()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let look = || {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(NAMES_MAX);
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        };
        self.timed(folder, look).unwrap_or_default()
    }

    fn lists(&self, project: &str, package: &str) -> bool {
        let look = || {
            let manifests = MANIFESTS.iter().map(|name| Path::new(project).join(name));
            manifests.into_iter().any(|path| {
                let Ok(metadata) = fs::symlink_metadata(&path) else { return false };
                let changed = nanoseconds(metadata.ctime(), metadata.ctime_nsec());
                let is_ours = self.session().wrote(&path.to_string_lossy(), changed);
                if is_ours || !metadata.is_file() {
                    return false;
                }
                match self.content(&path, &metadata) {
                    Content::Text(text) => is_listed(&text, package),
                    Content::Binary | Content::Unknown => false,
                }
            })
        };
        self.timed(project, look).unwrap_or_default()
    }

    fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    fn search(&self) -> Vec<String> {
        let folders = self.search.split(':').filter(|folder| folder.starts_with('/'));
        folders.map(str::to_owned).collect()
    }

    fn wrote(&self) -> Vec<String> {
        self.session().files()
    }

    fn fetched(&self, path: &str) -> Option<Extent> {
        self.session().fetched(path)
    }
}

#[cfg(test)]
mod tests {
    use super::is_listed;

    #[test]
    fn a_package_is_listed_by_its_whole_name() {
        let manifest = "{\"devDependencies\": {\"tsx\": \"^4\", \"@scope/tool\": \"1\"}}";
        assert!(is_listed(manifest, "tsx") && is_listed(manifest, "@scope/tool"));
        assert!(
            !is_listed(manifest, "tool") && !is_listed(manifest, "ts") && !is_listed(manifest, "")
        );
        let requirements = "ruff==0.4\nblack[jupyter]>=24\n";
        assert!(is_listed(requirements, "ruff") && is_listed(requirements, "black"));
        assert!(!is_listed(requirements, "jupyter"));
    }
}
