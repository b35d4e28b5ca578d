//! Walks the files of a folder in the order of their paths, without ignored files and the
//! folders of version control; links are not followed.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use host::beneath::FileType;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::open::{below_top, open, top};
use super::stop::Stop;

/// Folders of version control, which are not the user's own files.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// Ignore files; the last one takes precedence.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// How much of an ignore file is read, in bytes: each pattern is matched against every file.
const IGNORE_MAX: u64 = 256 << 10;

/// How deep a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The folder's own entries.
    One,
    /// Everything below it.
    All,
}

/// An entry that is not ignored.
pub(crate) struct Entry<'w> {
    /// Absolute.
    pub(crate) path: &'w Path,
    pub(crate) kind: FileType,
}

/// What a walk has left out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The number of ignored entries and folders of version control. What is below them is not counted.
    pub(crate) ignored: usize,
    /// Folders that could not be read.
    pub(crate) unreadable: usize,
    /// The walk was stopped before its end.
    pub(crate) is_stopped: bool,
}

/// A folder of the present path.
struct Level {
    path: PathBuf,
    /// The entries that were not visited yet, the last first.
    rest: Vec<(OsString, FileType)>,
    /// None if the folder has no ignore file.
    ignore: Option<Gitignore>,
}

/// Visits the content of the folder `start`; the ignore files from `above` down apply.
///
/// # Errors
/// Why `start` cannot be read.
pub(crate) fn walk(
    start: &Path,
    above: &Path,
    depth: Depth,
    stop: &Stop,
    mut visit: impl FnMut(&Entry<'_>),
) -> std::io::Result<LeftOut> {
    let mut left_out = LeftOut::default();
    let mut parents: Vec<&Path> =
        start.ancestors().skip(1).take_while(|folder| folder.starts_with(above)).collect();
    parents.reverse();
    let outer: Vec<Gitignore> = parents.into_iter().filter_map(ignores).collect();
    let mut levels = vec![Level::enter(start.to_owned())?];
    while let Some(level) = levels.last_mut() {
        let Some((name, kind)) = level.rest.pop() else {
            levels.pop();
            continue;
        };
        if stop.is_now() {
            left_out.is_stopped = true;
            break;
        }
        let path = level.path.join(&name);
        let is_folder = kind == FileType::Directory;
        let is_version_control = is_folder && VERSION_CONTROL.iter().any(|folder| *folder == name);
        let within = levels.iter().rev().filter_map(|level| level.ignore.as_ref());
        if is_version_control || is_ignored(within.chain(outer.iter().rev()), &path, is_folder) {
            left_out.ignored += 1;
            continue;
        }
        visit(&Entry { path: &path, kind });
        if is_folder && depth == Depth::All {
            match Level::enter(path) {
                Ok(level) => levels.push(level),
                Err(_) => left_out.unreadable += 1,
            }
        }
    }
    Ok(left_out)
}

impl Level {
    fn enter(path: PathBuf) -> std::io::Result<Self> {
        let mut rest = top().entries(below_top(&path))?;
        let has_ignore =
            rest.iter().any(|(name, _)| IGNORE_FILES.iter().any(|file| *file == *name));
        let ignore = if has_ignore { ignores(&path) } else { None };
        rest.sort_unstable_by(|one, other| other.0.cmp(&one.0));
        Ok(Self { path, rest, ignore })
    }
}

/// Whether the ignore files exclude an entry; the innermost matching one decides.
fn is_ignored<'i>(
    innermost_first: impl Iterator<Item = &'i Gitignore>,
    path: &Path,
    is_folder: bool,
) -> bool {
    for ignore in innermost_first {
        match ignore.matched(path, is_folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}

/// The ignore files of one folder. They are read like any other file: without following links, and without blocking
/// on a pipe of that name.
fn ignores(folder: &Path) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    let exclude = Path::new(".git/info/exclude");
    for file in std::iter::once(exclude).chain(IGNORE_FILES.iter().map(Path::new)) {
        let Ok(opened) = open(&folder.join(file)) else { continue };
        let mut bytes = Vec::new();
        if opened.file.take(IGNORE_MAX).read_to_end(&mut bytes).is_err() {
            continue;
        }
        for line in String::from_utf8_lossy(&bytes).lines() {
            // An invalid pattern is skipped, as in git.
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().ok().filter(|ignore| !ignore.is_empty())
}
