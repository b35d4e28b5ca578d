//! Repositories made here, held against plain `git log --numstat`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::root::RepoRoot;
use crate::tests::git::{BEGIN, DAY, PATH, git};

const PATIENCE: Duration = Duration::from_secs(120);

struct Bench {
    folder: TempDir,
}

impl Bench {
    /// Ten commits, one a day: `hot.rs` is complicated and changes each day, `plain.rs` is simple and
    /// changes as much, `cold.rs` is complicated and is left alone.
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(bench.tree().join("tests")).unwrap();
        bench.git(0, &["init", "--quiet"]);
        let branches = "    if a { b(); } else if c && d { e(); }\n".repeat(8);
        for day in 0..10 {
            let write =
                |path: &str, text: String| fs::write(bench.tree().join(path), text).unwrap();
            write("hot.rs", format!("fn hot() {{\n{branches}    f({day});\n}}\n"));
            write("plain.rs", format!("fn plain() {{\n    f({day});\n}}\n"));
            write("tests/t.rs", format!("fn test() {{\n{branches}    f({day});\n}}\n"));
            write("notes.txt", format!("{day}\n").repeat(50));
            if day == 0 {
                write("cold.rs", format!("fn cold() {{\n{branches}}}\n"));
            }
            bench.git(day, &["add", "--all"]);
            bench.git(day, &["commit", "--quiet", "--message", "change"]);
        }
        bench
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn git(&self, day: u64, args: &[&str]) -> String {
        git(&self.tree(), day, args)
    }

    fn answer(&self, root: &Path, request: &HotspotRequest) -> Answer<Hotspot> {
        let engine = Engine::new(RepoRoot::at(root).unwrap(), self.folder.path().join("cache"));
        hotspot(&engine, request, &Deadline::after(PATIENCE)).unwrap()
    }
}

/// All there is, half a day after the last commit.
fn everything() -> HotspotRequest {
    HotspotRequest {
        days: 365,
        now: BEGIN + 9 * DAY + DAY / 2,
        paths: Vec::new(),
        tests: Tests::Left,
        limit: 100,
        program_path: PATH.into(),
    }
}

/// Added and removed lines and commits of a file, from what the user's git prints.
fn plain(bench: &Bench, since: u64, path: &str) -> (u64, u64, u32) {
    let since = format!("--since=@{since}");
    let text = bench.git(9, &["log", &since, "--numstat", "--format=", "--", path]);
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.fold((0, 0, 0), |sum, line| {
        let mut fields = line.split('\t').map(|field| field.parse::<u64>().unwrap_or(0));
        (sum.0 + fields.next().unwrap(), sum.1 + fields.next().unwrap(), sum.2 + 1)
    })
}

#[test]
fn churn_is_gits_and_the_order_is_churn_times_complexity() {
    let bench = Bench::new();
    for days in [365, 3] {
        let request = HotspotRequest { days, ..everything() };
        let answer = bench.answer(&bench.tree(), &request);
        assert_eq!(answer.limits, [""; 0]);
        let paths: Vec<&str> = answer.items.iter().map(|item| item.path.as_str()).collect();
        let expected = if days == 3 {
            vec!["hot.rs", "plain.rs"]
        } else {
            vec!["hot.rs", "cold.rs", "plain.rs"]
        };
        assert_eq!(paths, expected);
        for item in &answer.items {
            let since = request.now - u64::from(days) * DAY;
            assert_eq!((item.added, item.removed, item.commits), plain(&bench, since, &item.path));
            assert_eq!(item.churn, item.added + item.removed);
            assert_eq!(item.score, item.churn as f64 * item.complexity as f64);
        }
    }
}

#[test]
fn a_file_is_named_with_its_worst_function() {
    let bench = Bench::new();
    let answer = bench.answer(&bench.tree(), &everything());
    let hot = &answer.items[0];
    assert_eq!(hot.symbol.as_deref(), Some("hot"));
    assert_eq!((hot.start_line, hot.end_line), (1, 11));
    // 1 + 8 * (if, else if, &&).
    assert_eq!((hot.complexity, hot.commits), (25, 10));
    let with_tests = HotspotRequest { tests: Tests::Counted, ..everything() };
    let answer = bench.answer(&bench.tree(), &with_tests);
    assert!(answer.items.iter().any(|item| item.path == "tests/t.rs"));
}

#[test]
fn where_there_is_no_history_it_says_so() {
    let bench = Bench::new();
    let limits = |root: &Path, request: HotspotRequest| {
        let answer = bench.answer(root, &request);
        assert!(answer.items.is_empty() && answer.truncated);
        answer.limits
    };
    let without = HotspotRequest { program_path: "/nowhere".into(), ..everything() };
    let missing = "git is not installed: nothing is known of the history";
    assert_eq!(limits(&bench.tree(), without), [missing]);
    let plain = bench.folder.path().join("plain");
    fs::create_dir(&plain).unwrap();
    fs::write(plain.join("a.rs"), "fn a() {}\n").unwrap();
    let outside = "not in a git repository: nothing is known of the history";
    assert_eq!(limits(&plain, everything()), [outside]);
    let later = HotspotRequest { days: 30, now: BEGIN + 1_000 * DAY, ..everything() };
    assert_eq!(limits(&bench.tree(), later), ["no commit in the last 30 days"]);
}
