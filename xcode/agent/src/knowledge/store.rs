//! The two files of facts on disk: each change is made under a lock, and written atomically. Links are not followed.
//! Not here: the meaning of the lines (see `memory`).

use std::io::{self, Read as _};

use host::Beneath;

use super::memory::Memory;
use crate::places::{self, Places};

/// The facts of a project, below the root of the workspace.
pub(crate) const PROJECT_FILE: &str = ".x-code/memory/auto.md";
/// Its lock file, in a place that git ignores.
const PROJECT_LOCK: &str = ".x-code/local/memory.lock";
/// The facts of all projects, below `~/.xcode`.
pub(crate) const GLOBAL_FILE: &str = "memory/auto.md";
/// Its lock file.
const GLOBAL_LOCK: &str = "memory/.lock";

/// The longest file that is changed, in bytes: enough for thousands of facts.
const SIZE_MAX: u64 = 1 << 20;

/// Which facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Project,
    /// Those of all projects.
    Global,
}

/// A file of facts.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    places: Places,
    scope: Scope,
}

impl Store {
    /// The file of a scope; it is not accessed yet.
    pub(crate) fn new(places: &Places, scope: Scope) -> Self {
        Self { places: places.clone(), scope }
    }

    /// Its path, for display.
    pub(crate) fn shown(&self) -> &'static str {
        match self.scope {
            Scope::Project => PROJECT_FILE,
            Scope::Global => "~/.xcode/memory/auto.md",
        }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        let (beneath, file, _) = self.place();
        beneath.path().join(file)
    }

    /// Whether it exists.
    pub(crate) fn exists(&self) -> bool {
        let (beneath, file, _) = self.place();
        beneath.metadata(file).is_ok()
    }

    /// Its content; empty if it is absent.
    ///
    /// # Errors
    /// An error of the file system, a link, or a file that is too large.
    pub(crate) fn read(&self) -> io::Result<Memory> {
        let (beneath, file, _) = self.place();
        Ok(Memory::parse(&text(&beneath, file)?.unwrap_or_default()))
    }

    /// Changes the facts under the lock. The file is written if `change` changed its text.
    ///
    /// # Errors
    /// As [`Store::read`]; [`io::ErrorKind::TimedOut`] if another process holds the lock for too long.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> io::Result<T> {
        if self.scope == Scope::Project {
            self.places.make_project()?;
        }
        let (beneath, file, lock) = self.place();
        let _lock = places::lock(&beneath, lock)?;
        let before = text(&beneath, file)?.unwrap_or_default();
        let mut memory = Memory::parse(&before);
        let done = change(&mut memory);
        // Both are compared in parsed form: a missing line end at the end is not a change.
        if memory != Memory::parse(&before) {
            beneath.replace(file, memory.text().as_bytes())?;
        }
        Ok(done)
    }

    fn place(&self) -> (Beneath, &'static str, &'static str) {
        match self.scope {
            Scope::Project => (self.places.project(), PROJECT_FILE, PROJECT_LOCK),
            Scope::Global => (self.places.global(), GLOBAL_FILE, GLOBAL_LOCK),
        }
    }
}

fn text(beneath: &Beneath, file: &str) -> io::Result<Option<String>> {
    let file = match beneath.open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SIZE_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // Replacing invalid UTF-8 would lose the original bytes.
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::super::fact::{Category, Fact};
    use super::super::language::Language;
    use super::*;

    fn fact(key: &str) -> Fact {
        let date = "2026-11-23".parse().unwrap();
        Fact { category: Category::Context, key: key.to_owned(), fact: "v".to_owned(), date }
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = Places::new(home.path(), root.path());
        for scope in [Scope::Project, Scope::Global] {
            thread::scope(|threads| {
                for writer in 0..8 {
                    let store = Store::new(&places, scope);
                    threads.spawn(move || {
                        for number in 0..10 {
                            let fact = fact(&format!("{writer}-{number}"));
                            store.change(|memory| memory.add(fact, &[], Language::En)).unwrap();
                        }
                    });
                }
            });
            assert_eq!(Store::new(&places, scope).read().unwrap().facts().count(), 80);
        }
        let ignored = fs::read_to_string(root.path().join(".x-code/.gitignore")).unwrap();
        assert_eq!(ignored, "sessions/\nlocal/\n", "its lock is out of git");
    }

    #[test]
    fn a_link_a_pipe_and_what_is_no_text_are_refused() {
        let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = Places::new(home.path(), root.path());
        let store = Store::new(&places, Scope::Project);
        let file = root.path().join(PROJECT_FILE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let add = || store.change(|memory| memory.add(fact("k"), &[], Language::En));
        fs::write(&file, b"\xff").unwrap();
        add().unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"\xff");
        fs::remove_file(&file).unwrap();
        fs::write(home.path().join("mine"), "mine").unwrap();
        symlink(home.path().join("mine"), &file).unwrap();
        add().unwrap_err();
        assert_eq!(fs::read_to_string(home.path().join("mine")).unwrap(), "mine");
        fs::remove_file(&file).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &file, fifo, mode, 0).unwrap();
        add().unwrap_err();
        fs::remove_file(&file).unwrap();
        assert!(!store.exists());
        add().unwrap();
        assert!(store.exists());
    }
}
