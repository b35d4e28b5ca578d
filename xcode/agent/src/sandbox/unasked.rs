//! Places of a workspace at which another agent or git takes orders without asking. What is there when a command begins
//! is kept as it is; what the command makes there is put aside when it ends. Not here: the places that only count where
//! their program was told to trust the folder.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use host::Beneath;

use crate::permit::repository;

/// The places, below a folder of the workspace. A git folder has a `commondir` in a linked work tree alone: in any other,
/// git would take its settings and hooks from wherever that file says.
const PLACES: [&str; 14] = [
    ".claude/agents",
    ".claude/commands",
    ".claude/hooks",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/skills",
    ".codex",
    ".cursor",
    ".gemini",
    ".git/commondir",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".mcp.json",
];

/// How the new name of what was put aside ends.
const ASIDE: &str = ".set-aside";

/// How many names are tried for it.
const NAMES_MAX: u32 = 100;

/// The places at which nothing is yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unasked {
    /// The folder of the workspace, and the place below it.
    absent: Vec<(PathBuf, &'static str)>,
    /// Folders without a repository.
    bare: Vec<PathBuf>,
}

impl Unasked {
    /// Looks now.
    pub(crate) fn look(folders: &[PathBuf]) -> Self {
        let (mut absent, mut bare) = (Vec::new(), Vec::new());
        for folder in folders {
            let is_new = is_absent(folder, ".git");
            if is_new {
                bare.push(folder.clone());
            }
            let is_looked_at = |place: &&str| !(is_new && place.starts_with(".git/"));
            let places = PLACES.into_iter().filter(is_looked_at);
            absent.extend(
                places
                    .filter(|place| is_absent(folder, place))
                    .map(|place| (folder.clone(), place)),
            );
        }
        Self { absent, bare }
    }

    /// Of these the places of git alone, which no person and no other agent makes by hand: for a command that goes on for
    /// so long that the user's own settings may come to be beside it.
    pub(crate) fn of_git(mut self) -> Self {
        self.absent.retain(|(_, place)| place.starts_with(".git/"));
        self
    }

    /// Puts aside what has come to be there since, under another name in its own folder, and says so for the model;
    /// nothing where there is nothing. Of a new repository, what git itself makes stays.
    pub(crate) fn put_aside(&self) -> Option<String> {
        let mut said = String::new();
        let places = self.absent.iter().map(|(folder, place)| (folder, *place));
        let harmful = self.bare.iter().flat_map(|folder| {
            harmful_in_new_repository(folder).into_iter().map(move |place| (folder, place))
        });
        for (folder, place) in places.chain(harmful) {
            let told = match aside(folder, place) {
                Ok(None) => continue,
                Ok(Some(name)) => format!("renamed to {name}"),
                Err(error) => format!("to be renamed, which failed: {error}"),
            };
            let line = "[sandbox: other programs take orders from";
            let way = "to have it, write it with writeFile or take `unsandboxed: true`";
            // Writing into a text does not fail.
            let _ =
                write!(said, "\n{line} {place}, which this command made: it was {told}; {way}]");
        }
        (!said.is_empty()).then_some(said)
    }
}

/// What of a repository that was not there before could start a program: settings, or hooks that are no samples.
fn harmful_in_new_repository(folder: &Path) -> Vec<&'static str> {
    if is_absent(folder, ".git") {
        return Vec::new();
    }
    let below = Beneath::of(folder);
    // A link or a file leads to a git folder of anybody's making.
    if !below.metadata(".git").is_ok_and(|found| found.is_dir()) {
        return vec![".git"];
    }
    let mut harmful = Vec::new();
    if !is_absent(folder, ".git/commondir") {
        harmful.push(".git/commondir");
    }
    if repository::may_start_programs(folder) {
        harmful.extend([".git/config", ".git/config.worktree"]);
    }
    let is_sample = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".sample");
    let has_hook = match below.names(".git/hooks") {
        Ok(names) => !names.iter().all(is_sample),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    if has_hook {
        harmful.push(".git/hooks");
    }
    harmful
}

/// Nothing is there, not even a link.
fn is_absent(folder: &Path, place: &str) -> bool {
    let found = Beneath::of(folder).metadata(place);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Renames what is at the place, or the link by which it is reached; its new name, where there is anything.
fn aside(folder: &Path, place: &str) -> io::Result<Option<String>> {
    let below = Beneath::of(folder);
    // Behind a link lies what may not be the workspace's: the link itself goes.
    let steps = place.match_indices('/').map(|(end, _)| &place[..end]).chain([place]);
    for step in steps {
        let found = match below.metadata(step) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if step == place || found.is_symlink() {
            return rename(&below, step).map(Some);
        }
    }
    Ok(None)
}

fn rename(below: &Beneath, place: &str) -> io::Result<String> {
    for number in 0..NAMES_MAX {
        let name = match number {
            0 => format!("{place}{ASIDE}"),
            _ => format!("{place}{ASIDE}.{number}"),
        };
        if below.metadata(&name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            below.rename(place, &name)?;
            return Ok(name);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(folder: &Path, place: &str, text: &str) {
        let path = folder.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn names(folder: &Path, place: &str) -> Vec<String> {
        let entries = fs::read_dir(folder.join(place)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_command_makes_where_orders_are_taken_is_put_aside() {
        for place in PLACES {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            fs::create_dir(root.join(".git")).unwrap();
            let before = Unasked::look(&[root.to_owned()]);
            assert_eq!(before.put_aside(), None, "{place}: nothing was made");
            write(root, place, "evil");
            let said = before.put_aside().unwrap();
            assert!(said.contains(&format!("renamed to {place}.set-aside")), "{said}");
            assert!(!root.join(place).exists(), "{place}");
            assert_eq!(fs::read(root.join(format!("{place}.set-aside"))).unwrap(), b"evil");
            write(root, place, "again");
            let said = before.put_aside().unwrap();
            assert!(said.contains(&format!("renamed to {place}.set-aside.1")), "{said}");
            // What was there before is not the command's.
            write(root, place, "the user's");
            assert_eq!(Unasked::look(&[root.to_owned()]).put_aside(), None, "{place}");
            assert_eq!(fs::read(root.join(place)).unwrap(), b"the user's");
        }
    }

    #[test]
    fn what_a_command_makes_elsewhere_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let before = Unasked::look(&[root.to_owned()]);
        for place in [".claude/historian/ledger.json", ".vscode/launch.json", "src/.mcp.json"] {
            write(root, place, "{}");
        }
        assert_eq!(before.put_aside(), None);
        assert!(root.join(".claude/historian/ledger.json").exists());
    }

    #[test]
    fn of_a_command_that_goes_on_only_gits_places_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join(".git")).unwrap();
        let before = Unasked::look(&[root.to_owned()]).of_git();
        write(root, ".claude/settings.json", "{}");
        write(root, ".git/commondir", "../x\n");
        assert!(before.put_aside().is_some_and(|said| !said.contains(".claude")));
        assert!(root.join(".claude/settings.json").exists());
        assert_eq!(names(root, ".git"), ["commondir.set-aside"]);
    }

    /// Nothing outside is renamed by a link that a command made.
    #[test]
    fn a_link_is_put_aside_and_not_what_it_leads_to() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        write(outside.path(), "settings.json", "the user's");
        write(outside.path(), "commondir", "the user's");
        let before = Unasked::look(&[root.to_owned()]);
        symlink(outside.path(), root.join(".claude")).unwrap();
        symlink(outside.path(), root.join(".git")).unwrap();
        symlink(outside.path().join("settings.json"), root.join(".mcp.json")).unwrap();
        let said = before.put_aside().unwrap();
        let put = [".claude.set-aside", ".git.set-aside", ".mcp.json.set-aside"];
        assert_eq!(names(root, "."), put, "{said}");
        assert_eq!(names(outside.path(), "."), ["commondir", "settings.json"]);
    }

    #[test]
    fn a_new_repository_stays_and_what_could_start_programs_in_it_does_not() {
        let check = |files: &[(&str, &str)], left: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            let before = Unasked::look(&[root.to_owned()]);
            write(root, ".git/HEAD", "ref: refs/heads/main\n");
            for (place, text) in files {
                write(root, place, text);
            }
            let said = before.put_aside();
            assert_eq!(names(root, ".git"), left, "{files:?}");
            assert_eq!(said.is_some(), left.iter().any(|name| name.ends_with(ASIDE)), "{files:?}");
        };
        let config = (".git/config", "[core]\n\tbare = false\n");
        let sample = (".git/hooks/pre-commit.sample", "");
        check(&[config, sample], &["HEAD", "config", "hooks"]);
        check(&[config, (".git/hooks/pre-commit", "")], &["HEAD", "config", "hooks.set-aside"]);
        check(&[(".git/config", "[core]\nfsmonitor = ./x\n")], &["HEAD", "config.set-aside"]);
        check(&[config, (".git/commondir", "../x\n")], &["HEAD", "commondir.set-aside", "config"]);
        let folder = tempfile::tempdir().unwrap();
        let before = Unasked::look(&[folder.path().to_owned()]);
        write(folder.path(), ".git", "gitdir: other\n");
        assert!(before.put_aside().is_some());
        assert_eq!(names(folder.path(), "."), [".git.set-aside"]);
    }
}
