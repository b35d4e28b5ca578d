//! What only the host knows: folders, the file system, and what this session wrote. Not here: how it knows.

use crate::judgement::Extent;

/// What lies at a path, its last part not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Missing,
    /// A symbolic link, and the text in it.
    Link(String),
    /// A folder.
    Folder,
    /// A file or a device; also where the host does not say which.
    Other,
    /// The file system did not answer in time. The call can then not be judged.
    Unanswered,
}

/// What tells a file that has several names from every other file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The file system that it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A file that this session wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path.
    pub path: String,
    /// Its text; none if the host does not know it.
    pub content: Option<String>,
}

/// The file system and the session's part in it, as the host knows them. Every question is one look-up;
/// a judgement asks for at most [`crate::LOOKUPS_MAX`]. Paths are absolute and normalised.
pub trait Disk {
    /// What lies at a path.
    fn entry(&self, _path: &str) -> Entry {
        Entry::Other
    }

    /// What the file at a path without links is, if it has more than one name there (hard links).
    fn identity(&self, _path: &str) -> Option<Identity> {
        None
    }

    /// The file at a path without links, if this session wrote it and it is still there.
    fn written(&self, _path: &str) -> Option<Written> {
        None
    }

    /// The names of the files in a folder; some of them where they are many.
    fn names(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a manifest of the project, as it was before the session, lists a package: a runner may fetch
    /// and execute it without a review.
    fn lists(&self, _project: &str, _package: &str) -> bool {
        false
    }

    /// Whether a question was left without an answer, whichever it was. The call can then not be judged.
    fn gave_up(&self) -> bool {
        false
    }

    /// The folders in which the shell looks for programs, in its order.
    fn search(&self) -> Vec<String> {
        Vec::new()
    }

    /// The files that earlier calls of the session are known to have written, the oldest first.
    fn wrote(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether an earlier call of the session fetched the file from a network: by itself, or as a part
    /// of a tree.
    fn fetched(&self, _path: &str) -> Option<Extent> {
        None
    }

    /// Where an absolute, normalised path really leads, if that is somewhere else: from the root
    /// downwards, up to the first part that is missing.
    fn resolve(&self, path: &str) -> Option<String> {
        let mut rest: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let mut real = String::new();
        let mut followed = 0;
        let mut looks = true;
        while let Some(part) = rest.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." => {
                    real.truncate(real.rfind('/').unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            let length = real.len();
            real.push('/');
            real.push_str(&part);
            match if looks { self.entry(&real) } else { Entry::Other } {
                Entry::Folder | Entry::Other => {}
                Entry::Missing | Entry::Unanswered => looks = false,
                Entry::Link(target) => {
                    followed += 1;
                    if followed > LINKS_MAX {
                        looks = false;
                        continue;
                    }
                    real.truncate(if target.starts_with('/') { 0 } else { length });
                    rest.extend(target.rsplit('/').map(str::to_owned));
                }
            }
        }
        if real.is_empty() {
            real.push('/');
        }
        (real != path).then_some(real)
    }
}

/// Links that are followed in one path, as many as Linux follows.
const LINKS_MAX: usize = 40;

/// A host without links, whose session wrote nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoDisk;

impl Disk for NoDisk {}

/// A host without links, whose session wrote these files.
impl Disk for Vec<Written> {
    fn written(&self, path: &str) -> Option<Written> {
        self.iter().rev().find(|file| file.path == path).cloned()
    }

    fn wrote(&self) -> Vec<String> {
        self.iter().map(|file| file.path.clone()).collect()
    }
}

/// The surroundings of a call. Paths are absolute.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The working folder of the call.
    pub cwd: &'a str,
    /// The root of the project.
    pub project: &'a str,
    /// The user's home folder.
    pub home: &'a str,
    /// Folders whose content may be lost: temporary folders and what git ignores.
    pub scratch: &'a [String],
    /// Paths that a call may not change without a review, beside those that the gate knows.
    pub protected: &'a [String],
    /// The file system.
    pub disk: &'a dyn Disk,
}

#[cfg(test)]
pub(crate) mod tests;
