//! Real repositories, made here, and what the real git says of them.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use std::fs;

use super::*;
use crate::tests::git::{BEGIN, DAY, PATH, git};

/// Long enough for any git here, on a loaded machine.
fn patient() -> Deadline {
    Deadline::after(Duration::from_secs(120))
}

/// A repository that a user works in.
struct Bench {
    folder: TempDir,
    /// A day later for each commit.
    commits: std::cell::Cell<u64>,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap(), commits: 0.into() };
        fs::create_dir(bench.tree()).unwrap();
        bench.git(&["init", "--quiet", "--initial-branch=main"]);
        bench
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// What the user's git says.
    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.tree(), args)
    }

    fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        git(folder, self.commits.get(), args)
    }

    /// Commits all there is.
    fn commit(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        self.commits.set(self.commits.get() + 1);
    }

    fn open(&self) -> Result<Git, GitError> {
        self.open_at(&self.tree())
    }

    fn open_at(&self, folder: &Path) -> Result<Git, GitError> {
        let root = RepoRoot::at(folder).unwrap();
        Git::open(&root, &self.cache(), PATH.as_ref(), &patient())
    }

    /// The history of `days` days before the newest commit.
    fn history(&self, days: u32) -> History {
        let now = BEGIN + self.commits.get() * DAY;
        self.open().unwrap().history(days, now, &patient()).unwrap()
    }

    fn changes(&self) -> Vec<(String, String)> {
        let changes = self.open().unwrap().changes(&patient()).unwrap();
        changes.into_iter().map(|each| (each.path, describe(&each.change))).collect()
    }
}

fn describe(change: &Change) -> String {
    match change {
        Change::Added => "added".into(),
        Change::Removed => "removed".into(),
        Change::Modified { lines } => {
            let ranges = lines.iter().map(|range| format!("{}-{}", range.start, range.end));
            ranges.collect::<Vec<_>>().join(" ")
        }
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

/// Added and removed lines by file.
fn churn(history: &History) -> BTreeMap<String, (u64, u64)> {
    let mut churn: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for file in history.commits.iter().flat_map(|commit| &commit.files) {
        let sum = churn.entry(file.path.clone()).or_default();
        *sum = (sum.0 + file.added, sum.1 + file.removed);
    }
    churn
}

/// What `git log --numstat` adds up to, as one would do it by hand.
fn plain_churn(bench: &Bench) -> BTreeMap<String, (u64, u64)> {
    let mut churn: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let text =
        bench.git(&["-c", "core.quotePath=false", "log", "--numstat", "--format=", "--no-merges"]);
    for line in text.lines().filter(|line| !line.is_empty()) {
        let [added, removed, path] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let sum = churn.entry(path.to_owned()).or_default();
        *sum = (sum.0 + added.parse().unwrap_or(0), sum.1 + removed.parse().unwrap_or(0));
    }
    churn
}

#[test]
fn churn_is_what_git_log_numstat_adds_up_to() {
    let bench = Bench::new();
    for round in 0..6_usize {
        bench.write("src/a.rs", &"line\n".repeat(round * 3 + 1));
        bench.write("a file with spaces.py", &format!("{}\n", round / 2));
        bench.write("src/配置.rs", &"x\n".repeat(10 - round));
        bench.write("image.bin", &format!("\0{round}"));
        bench.commit(&format!("round {round}"));
    }
    bench.git(&["checkout", "--quiet", "-b", "side", "HEAD~2"]);
    bench.write("side.rs", "1\n2\n");
    bench.commit("side");
    bench.git(&["checkout", "--quiet", "main"]);
    bench.git(&["merge", "--quiet", "--no-ff", "--message", "merged", "side"]);
    let ours = churn(&bench.history(365));
    assert_eq!(ours, plain_churn(&bench));
    assert_eq!(ours["src/a.rs"], (16, 0));
    assert_eq!(ours["image.bin"], (0, 0));
    assert_eq!(ours["side.rs"], (2, 0));
}

#[test]
fn a_renamed_file_takes_its_past_along() {
    let bench = Bench::new();
    let text: String = (0..50).map(|line| format!("line {line}\n")).collect();
    bench.write("old.rs", &text);
    bench.commit("first");
    bench.git(&["mv", "old.rs", "middle.rs"]);
    bench.commit("renamed");
    bench.git(&["mv", "middle.rs", "new.rs"]);
    bench.write("new.rs", &format!("{text}one more\n"));
    bench.commit("renamed again, and changed");
    let history = bench.history(365);
    let subjects: Vec<&str> = history.commits.iter().map(|each| each.subject.as_str()).collect();
    assert_eq!(subjects, ["renamed again, and changed", "renamed", "first"]);
    assert_eq!(churn(&history), BTreeMap::from([("new.rs".to_owned(), (51, 0))]));
}

#[test]
fn only_the_days_asked_for_count() {
    let bench = Bench::new();
    for round in 0..10 {
        bench.write("a.rs", &format!("{round}\n"));
        bench.commit(&format!("{round}"));
    }
    assert_eq!(bench.history(3).commits.len(), 3);
    assert_eq!(bench.history(365).commits.len(), 10);
    // Answered from what was read for the year.
    assert_eq!(bench.history(3).commits.len(), 3);
}

#[test]
fn the_log_is_read_once_for_each_head() {
    let bench = Bench::new();
    bench.write("a.rs", "1\n");
    bench.commit("as git tells it");
    assert_eq!(bench.history(30).commits[0].subject, "as git tells it");
    let cached = bench.cache().join("git/history");
    let text = fs::read_to_string(&cached).unwrap();
    fs::write(&cached, text.replace("as git tells it", "as the cache tells it")).unwrap();
    assert_eq!(bench.history(30).commits[0].subject, "as the cache tells it");
    assert_eq!(bench.history(31).commits[0].subject, "as git tells it", "more days are read anew");
    bench.write("a.rs", "2\n");
    bench.commit("next");
    let history = bench.history(30);
    let subjects: Vec<&str> = history.commits.iter().map(|each| each.subject.as_str()).collect();
    assert_eq!(subjects, ["next", "as git tells it"]);
}

#[test]
fn what_differs_from_head_is_named_with_its_lines() {
    let bench = Bench::new();
    bench.write(".gitignore", "ignored\n");
    let text: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    for file in ["a.rs", "gone.rs", "same.rs", "odd \"name\"\n.rs", "köln.rs", "moved.rs"] {
        bench.write(file, &text);
    }
    bench.commit("first");
    let changed = text.replace("line 3\n", "line 3\n+++ b/evil.rs\n@@ -1 +1 @@\ndiff --git a b\n");
    bench.write("a.rs", &changed.replace("line 10\nline 11\n", "").replace("line 20", "twenty"));
    bench.write("odd \"name\"\n.rs", &format!("zero\n{text}"));
    bench.write("köln.rs", &text.replace("line 1\n", "eins\n"));
    bench.write("staged.rs", "new\n");
    bench.git(&["add", "staged.rs"]);
    bench.write("untracked.rs", "new\n");
    bench.write("ignored", "new\n");
    bench.git(&["mv", "moved.rs", "to.rs"]);
    fs::remove_file(bench.tree().join("gone.rs")).unwrap();
    let expected = pairs(&[
        ("a.rs", "4-6 12-13 21-21"),
        ("gone.rs", "removed"),
        ("köln.rs", "1-1"),
        ("moved.rs", "removed"),
        ("odd \"name\"\n.rs", "1-1"),
        ("staged.rs", "added"),
        ("to.rs", "added"),
        ("untracked.rs", "added"),
    ]);
    assert_eq!(bench.changes(), expected);
}

#[test]
fn a_folder_below_the_top_sees_its_own_part() {
    let bench = Bench::new();
    bench.write("inner/a.rs", "1\n");
    bench.write("outer.rs", "1\n");
    bench.commit("first");
    bench.write("inner/a.rs", "2\n");
    bench.write("outer.rs", "2\n");
    let git = bench.open_at(&bench.tree().join("inner")).unwrap();
    let history = git.history(30, BEGIN + DAY, &patient()).unwrap();
    assert_eq!(churn(&history), BTreeMap::from([("a.rs".to_owned(), (1, 0))]));
    let changes = git.changes(&patient()).unwrap();
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["a.rs"]);
}

#[test]
fn worktrees_and_shallow_clones_are_understood() {
    let bench = Bench::new();
    for round in 0..3 {
        bench.write("a.rs", &format!("{round}\n"));
        bench.commit(&format!("{round}"));
    }
    let (linked, shallow) =
        (bench.folder.path().join("linked"), bench.folder.path().join("shallow"));
    bench.git(&["worktree", "add", "--quiet", linked.to_str().unwrap(), "HEAD~1"]);
    let origin = format!("file://{}", bench.tree().display());
    bench.git(&["clone", "--quiet", "--depth=2", &origin, shallow.to_str().unwrap()]);
    for (folder, commits) in [(linked, 2), (shallow, 2)] {
        fs::write(folder.join("a.rs"), "changed\n").unwrap();
        let git = bench.open_at(&folder).unwrap();
        let history = git.history(365, BEGIN + 10 * DAY, &patient()).unwrap();
        assert_eq!(history.commits.len(), commits, "{}", folder.display());
        assert_eq!(git.changes(&patient()).unwrap().len(), 1);
    }
}

#[test]
fn no_program_that_a_repository_names_is_run() {
    let bench = Bench::new();
    bench.write(".gitattributes", "* diff=evil filter=evil\n*.txt diff=text\n");
    bench.write("a.rs", "1\n");
    bench.write("a.txt", "1\n");
    bench.commit("first");
    let (evil, ran) = (bench.folder.path().join("evil"), bench.folder.path().join("ran"));
    fs::write(&evil, format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = evil.to_str().unwrap();
    for name in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "diff.external",
        "diff.evil.command",
        "diff.text.textconv",
        "filter.evil.clean",
        "filter.evil.process",
        "gpg.program",
        "interactive.diffFilter",
        "pager.log",
        "pager.diff",
        "alias.log",
        "credential.helper",
    ] {
        bench.git(&["config", name, evil]);
    }
    bench.git(&["config", "log.showSignature", "true"]);
    bench.git(&["config", "protocol.ext.allow", "always"]);
    fs::write(bench.tree().join(".git/info/attributes"), "* filter=evil diff=evil\n").unwrap();
    bench.write("a.rs", "2\n");
    bench.write("a.txt", "2\n");

    assert_eq!(bench.history(30).commits.len(), 1);
    assert_eq!(bench.changes(), pairs(&[("a.rs", "1-1"), ("a.txt", "1-1")]));
    assert!(!ran.exists(), "a program of the repository was run");

    // The trap is a real one.
    bench.git(&["config", "--unset", "filter.evil.process"]);
    bench.git(&["diff"]);
    assert!(ran.exists());
}

#[test]
fn a_work_tree_elsewhere_is_not_looked_at() {
    let bench = Bench::new();
    bench.write("a.rs", "1\n");
    bench.commit("first");
    let elsewhere = bench.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("secret"), "1\n").unwrap();
    bench.git(&["config", "core.worktree", elsewhere.to_str().unwrap()]);
    assert_eq!(bench.changes(), []);
}

#[test]
fn nothing_is_written_into_the_repository() {
    let bench = Bench::new();
    bench.write("a.rs", "1\n");
    bench.commit("first");
    // Git would refresh the index for it: the same content, and another time by whole seconds.
    let file = fs::File::options().write(true).open(bench.tree().join("a.rs")).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(60)).unwrap();
    let before = listing(&bench.tree());
    bench.history(30);
    bench.changes();
    assert_eq!(listing(&bench.tree()), before);
}

/// Every file below a folder with its content.
fn listing(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(listing(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn what_is_missing_is_said() {
    let bench = Bench::new();
    let refusal = |result: Result<Git, GitError>| result.unwrap_err().to_string();
    assert_eq!(refusal(bench.open()), "the repository has no commit yet");
    let plain = bench.folder.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let outside = "not in a git repository: nothing is known of the history";
    assert_eq!(refusal(bench.open_at(&plain)), outside);
    bench.commit("first");
    let root = RepoRoot::at(&bench.tree()).unwrap();
    let without = Git::open(&root, &bench.cache(), "/nowhere:.".as_ref(), &patient());
    assert_eq!(refusal(without), "git is not installed: nothing is known of the history");
    let late = Deadline::after(Duration::ZERO);
    assert!(matches!(Git::open(&root, &bench.cache(), PATH.as_ref(), &late), Err(GitError::Late)));
    fs::write(bench.tree().join(".git/HEAD"), "nonsense\n").unwrap();
    let broken = bench.open().unwrap_err();
    assert!(matches!(broken, GitError::Failed { .. }), "{broken}");
}

#[test]
fn messages_come_with_their_files_and_no_more_than_wanted() {
    let bench = Bench::new();
    bench.write("a.rs", "1\n");
    bench.write("dir/b c.rs", "1\n");
    bench.commit("First\n\nWith a body.");
    let first = bench.open().unwrap().head().to_owned();
    for round in 2..5 {
        bench.write("a.rs", &format!("{round}\n"));
        bench.commit(&format!("Round {round}"));
    }
    let git = bench.open().unwrap();
    let told = |since: Option<&str>, max| {
        let messages = git.messages(since, max, &patient()).unwrap();
        let all: Vec<(String, String)> = messages
            .iter()
            .map(|message| (message.text.trim().to_owned(), message.files.join(", ")))
            .collect();
        (all, messages.is_cut)
    };
    let rounds = [("Round 4", "a.rs"), ("Round 3", "a.rs"), ("Round 2", "a.rs")];
    let first_told = ("First\n\nWith a body.", "a.rs, dir/b c.rs");
    assert_eq!(told(None, 4), (pairs(&[&rounds[..], &[first_told]].concat()), false));
    assert_eq!(told(None, 2), (pairs(&rounds[..2]), true));
    assert_eq!(told(Some(&first), 4), (pairs(&rounds), false));
    assert!(git.is_on_top_of(&first, &patient()).unwrap());
    assert!(!git.is_on_top_of(&"0".repeat(40), &patient()).unwrap());
    bench.git(&["checkout", "--quiet", "--detach", &first]);
    assert!(!bench.open().unwrap().is_on_top_of(git.head(), &patient()).unwrap());
}
