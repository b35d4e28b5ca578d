//! The history of a repository's files: read after an answer, from repositories of every
//! kind, and used as untrusted data.

#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "the executable under test is started here")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use code_intel::tools::search::{Mode, SearchRequest, Snippets, search};
use code_intel::{Deadline, Engine, FollowError, Followed, RepoRoot};
use tempfile::TempDir;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Both files say as much about it; only commits tell them apart.
const QUESTION: &str = "the shop forgets a value after checkout";

struct Shop(TempDir);

impl Shop {
    /// Two files alike, and a commit that says what the second is about.
    fn new() -> Self {
        let shop = Self(TempDir::new().unwrap());
        fs::create_dir(shop.tree()).unwrap();
        shop.git(&["init", "--quiet", "--initial-branch=main"]);
        for name in ["a.py", "b.py"] {
            shop.write(name, "def value(shop):\n    return shop\n");
        }
        shop.commit("Begin");
        shop.write("b.py", "def value(shop):\n    return shop \n");
        shop.commit("Forget nothing after checkout");
        shop
    }

    fn tree(&self) -> PathBuf {
        self.0.path().join("tree")
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        git_in(&self.tree(), args)
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// The order of the files for a question, at another folder than the tree.
    fn asked_at(&self, folder: &Path, question: &str) -> Vec<String> {
        let engine = Engine::new(RepoRoot::at(folder).unwrap(), self.cache());
        let request = SearchRequest {
            query: question.to_owned(),
            mode: Some(Mode::Words),
            limit: 10,
            snippets: Snippets::Left,
        };
        let answer = search(&engine, &request, &soon()).unwrap();
        answer.items.into_iter().map(|item| item.path).collect()
    }

    fn asked(&self) -> Vec<String> {
        self.asked_at(&self.tree(), QUESTION)
    }

    fn follow_at(&self, folder: &Path) -> Result<Followed, FollowError> {
        let engine = Engine::new(RepoRoot::at(folder).unwrap(), self.cache());
        engine.view(&soon()).unwrap();
        engine.follow_history(OsStr::new(PATH), &soon())
    }

    fn follow(&self) -> Followed {
        self.follow_at(&self.tree()).unwrap()
    }

    fn ci(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ci"));
        command.args(args).current_dir(self.tree()).env_clear().env("PATH", PATH);
        command.env("CODE_INTEL_CACHE_DIR", self.cache());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// What lies in the git folder of the one index.
    fn kept(&self, name: &str) -> PathBuf {
        let index = fs::read_dir(self.cache()).unwrap().flatten().map(|entry| entry.path());
        index.into_iter().find(|path| path.is_dir()).unwrap().join("git").join(name)
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(120))
}

fn git_in(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("/usr/bin/env")
        .arg("git")
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.com",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs([("PATH", PATH), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn what_commits_said_of_a_file_counts_for_a_short_question_only() {
    let shop = Shop::new();
    assert_eq!(shop.asked(), ["a.py", "b.py"]);
    assert_eq!(shop.follow(), Followed::Read);
    assert_eq!(shop.asked(), ["b.py", "a.py"]);
    let long = format!("{QUESTION} {}", "and so on ".repeat(80));
    assert_eq!(shop.asked_at(&shop.tree(), &long), ["a.py", "b.py"]);
    assert_eq!(shop.follow(), Followed::Current);
}

#[test]
fn it_is_read_behind_an_answer_once_for_each_head() {
    let shop = Shop::new();
    assert!(shop.ci(&["search", QUESTION]).status().unwrap().success());
    until("the history is read", || shop.kept("past").exists());
    until("the process has ended", || shop.follow() == Followed::Current);
    assert_eq!(shop.asked(), ["b.py", "a.py"]);
    fs::remove_file(shop.kept("past.tried")).unwrap();
    assert!(shop.ci(&["search", QUESTION]).status().unwrap().success());
    assert!(!shop.kept("past.tried").exists(), "nothing had moved");
    shop.commit("Move");
    assert!(shop.ci(&["search", QUESTION]).status().unwrap().success());
    assert!(shop.kept("past.tried").exists(), "HEAD had moved");
    until("the process has ended", || shop.follow() == Followed::Current);
}

#[test]
fn nothing_stays_behind_where_it_is_not_wanted_or_there_is_no_repository() {
    let shop = Shop::new();
    let mut unwanted = shop.ci(&["search", QUESTION]);
    assert!(unwanted.env("CODE_INTEL_HISTORY", "off").status().unwrap().success());
    assert!(!shop.kept("past.tried").exists());
    fs::remove_dir_all(shop.tree().join(".git")).unwrap();
    assert!(shop.ci(&["search", QUESTION]).status().unwrap().success());
    assert!(!shop.kept("past.tried").exists());
    assert_eq!(shop.follow(), Followed::Nothing);
    assert_eq!(shop.asked(), ["a.py", "b.py"]);
}

#[test]
fn a_moved_head_adds_and_a_rewritten_one_forgets() {
    let shop = Shop::new();
    assert_eq!(shop.follow(), Followed::Read);
    shop.write("a.py", "def value(shop):\n    return shop  \n");
    shop.commit("Forget no value of the shop after checkout, ever: checkout forgets");
    assert_eq!(shop.follow(), Followed::Added);
    let added = fs::read(shop.kept("past")).unwrap();
    assert_eq!(shop.asked(), ["a.py", "b.py"]);
    // The same as if all had been read at once.
    fs::remove_file(shop.kept("past")).unwrap();
    assert_eq!(shop.follow(), Followed::Read);
    assert_eq!(fs::read(shop.kept("past")).unwrap().len(), added.len());
    assert_eq!(shop.asked(), ["a.py", "b.py"]);
    shop.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    shop.write("a.py", "def value(shop):\n    return  shop\n");
    shop.commit("After checkout the shop forgets");
    assert_eq!(shop.follow(), Followed::Read);
    assert_eq!(shop.asked(), ["a.py", "b.py"]);
    shop.git(&["checkout", "--quiet", "--detach", "HEAD~1"]);
    assert_eq!(shop.follow(), Followed::Read);
}

#[test]
fn a_merge_tells_what_it_brought() {
    let shop = Shop::new();
    shop.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    shop.git(&["checkout", "--quiet", "-b", "side"]);
    shop.write("b.py", "def value(shop):\n    return  shop\n");
    shop.commit("wip");
    shop.git(&["checkout", "--quiet", "main"]);
    shop.git(&["merge", "--quiet", "--no-ff", "--message", "Checkout: forget less (#7)", "side"]);
    assert_eq!(shop.follow(), Followed::Read);
    assert_eq!(shop.asked(), ["b.py", "a.py"]);
}

#[test]
fn every_kind_of_work_tree_has_a_history() {
    let shop = Shop::new();
    let beside = shop.0.path().join("beside");
    shop.git(&["worktree", "add", "--quiet", "--detach", beside.to_str().unwrap()]);
    assert_eq!(shop.follow_at(&beside).unwrap(), Followed::Read);
    assert_eq!(shop.asked_at(&beside, QUESTION), ["b.py", "a.py"]);
    // A `.git` that is a file, as a submodule has it.
    let outer = shop.0.path().join("outer");
    fs::create_dir(&outer).unwrap();
    git_in(&outer, &["init", "--quiet"]);
    git_in(&outer, &["submodule", "--quiet", "add", shop.tree().to_str().unwrap(), "inner"]);
    assert!(outer.join("inner/.git").is_file());
    assert_eq!(shop.follow_at(&outer.join("inner")).unwrap(), Followed::Read);
    assert_eq!(shop.asked_at(&outer.join("inner"), QUESTION), ["b.py", "a.py"]);
    // A folder below the top, whose paths are its own.
    let below = shop.tree().join("below");
    shop.write("below/a.py", "def value(shop):\n    return shop\n");
    shop.write("below/b.py", "def value(shop):\n    return shop\n");
    shop.commit("More");
    shop.write("below/b.py", "def value(shop):\n    return shop \n");
    shop.commit("Forget nothing after checkout");
    assert_eq!(shop.follow_at(&below).unwrap(), Followed::Read);
    assert_eq!(shop.asked_at(&below, QUESTION), ["b.py", "a.py"]);
}

#[test]
fn a_shallow_clone_tells_what_it_has_and_an_unborn_head_nothing() {
    let shop = Shop::new();
    let address = format!("file://{}", shop.tree().display());
    let clone = shop.0.path().join("clone");
    let clone_text = clone.to_str().unwrap();
    shop.git(&["clone", "--quiet", "--depth", "1", &address, clone_text]);
    assert_eq!(shop.follow_at(&clone).unwrap(), Followed::Read);
    assert_eq!(shop.follow_at(&clone).unwrap(), Followed::Current);
    // At the cut, one commit seems to have made every file.
    assert_eq!(shop.asked_at(&clone, QUESTION), ["a.py", "b.py"]);
    git_in(&clone, &["fetch", "--quiet", "--unshallow"]);
    assert_eq!(shop.follow_at(&clone).unwrap(), Followed::Read);
    assert_eq!(shop.asked_at(&clone, QUESTION), ["b.py", "a.py"]);
    let unborn = shop.0.path().join("unborn");
    fs::create_dir(&unborn).unwrap();
    git_in(&unborn, &["init", "--quiet"]);
    fs::write(unborn.join("a.py"), "def value(shop):\n    return shop\n").unwrap();
    assert_eq!(shop.follow_at(&unborn).unwrap(), Followed::Nothing);
    assert_eq!(shop.asked_at(&unborn, QUESTION), ["a.py"]);
}

#[test]
fn nothing_of_a_hostile_repository_runs_and_nothing_that_it_replaces_is_believed() {
    let shop = Shop::new();
    let (trap, sprung) = (shop.0.path().join("trap"), shop.0.path().join("sprung"));
    fs::write(&trap, format!("#!/bin/sh\ntouch {}\ncat\n", sprung.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    // A message that would win, in place of the first commit's.
    let first = shop.git(&["rev-parse", "HEAD~1"]);
    let tree = shop.git(&["rev-parse", "HEAD~1^{tree}"]);
    let words = "forgets checkout ".repeat(20);
    let other = shop.git(&["commit-tree", tree.trim(), "-m", &words]);
    shop.git(&["replace", first.trim(), other.trim()]);
    fs::create_dir_all(shop.tree().join(".git/info")).unwrap();
    fs::write(shop.tree().join(".git/info/attributes"), "* diff=trap filter=trap\n").unwrap();
    for name in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "filter.trap.clean",
        "filter.trap.process",
        "gpg.program",
        "core.sshCommand",
        "uploadpack.packObjectsHook",
    ] {
        shop.git(&["config", name, trap]);
    }
    shop.git(&["config", "log.showSignature", "true"]);
    assert_eq!(shop.follow(), Followed::Read);
    assert_eq!(shop.asked(), ["b.py", "a.py"]);
    assert!(!sprung.exists());
    // A list of commits that never ends.
    std::os::unix::fs::symlink("/dev/zero", shop.tree().join(".git/shallow")).unwrap();
    let _ = shop.follow_at(&shop.tree());
    fs::remove_file(shop.tree().join(".git/shallow")).unwrap();
    // A HEAD that leads out of the git folder, and one that is a pipe: nobody waits.
    fs::write(shop.tree().join(".git/HEAD"), "ref: refs/../../../outside\n").unwrap();
    let _ = shop.follow_at(&shop.tree());
    fs::remove_file(shop.tree().join(".git/HEAD")).unwrap();
    let made =
        Command::new("/usr/bin/env").arg("mkfifo").arg(shop.tree().join(".git/HEAD")).status();
    assert!(made.unwrap().success());
    let _ = shop.follow_at(&shop.tree());
    assert!(shop.ci(&["search", QUESTION]).status().unwrap().success());
    assert!(!sprung.exists());
}

#[test]
fn a_damaged_history_is_none_and_is_made_anew() {
    let shop = Shop::new();
    assert_eq!(shop.follow(), Followed::Read);
    let kept = shop.kept("past");
    let mode = fs::metadata(&kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let whole = fs::read(&kept).unwrap();
    for damaged in [whole[..whole.len() / 2].to_vec(), Vec::new(), vec![0xff; 4_096]] {
        fs::write(&kept, damaged).unwrap();
        assert_eq!(shop.asked(), ["a.py", "b.py"]);
        assert_eq!(shop.follow(), Followed::Read);
        assert_eq!(shop.asked(), ["b.py", "a.py"]);
        assert_eq!(fs::read(&kept).unwrap(), whole);
    }
}

#[test]
fn killed_half_way_it_leaves_the_old_history_or_the_new() {
    let shop = Shop::new();
    assert_eq!(shop.follow(), Followed::Read);
    for round in 0..12_u64 {
        shop.commit(&format!("Round {round}"));
        let mut child = shop.ci(&["history"]).spawn().unwrap();
        // Killed at some point: sometimes before, sometimes while, sometimes after it writes.
        let spin = Instant::now();
        while spin.elapsed() < Duration::from_millis(round * 3) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(shop.asked(), ["b.py", "a.py"]);
    }
    until("another may go on", || shop.follow() != Followed::Left);
    assert_eq!(shop.follow(), Followed::Current);
}

#[test]
fn it_goes_with_its_index() {
    let shop = Shop::new();
    assert_eq!(shop.follow(), Followed::Read);
    assert!(shop.ci(&["cache", "clear"]).status().unwrap().success());
    assert!(fs::read_dir(shop.cache()).unwrap().flatten().all(|entry| !entry.path().is_dir()));
    let engine = Engine::new(RepoRoot::at(&shop.tree()).unwrap(), shop.cache());
    assert_eq!(engine.follow_history(OsStr::new(PATH), &soon()).unwrap(), Followed::Left);
    assert!(!engine.follow_history_behind(OsStr::new(PATH)).unwrap());
}
