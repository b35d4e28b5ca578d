//! Whole trees in temporary folders.

use std::fs;
use std::time::Duration;

use super::*;
use crate::root::RepoRoot;

const PATIENCE: Duration = Duration::from_secs(120);

fn engine(folder: &std::path::Path) -> Engine {
    let tree = folder.join("tree");
    let files = [
        ("src/a.rs", "fn simple() {}\n\nfn nested() {\n    if a { while b { if c {} } }\n}\n"),
        ("src/b.py", "def ways(x):\n    return a(x) or b(x) or c(x) or d(x) or e(x) or f(x)\n"),
        ("tests/t.py", "def test_all():\n    for x in y:\n        if x:\n            pass\n"),
        ("src/broken.py", "def broken(:\n  if if\n"),
        ("README.md", "no code: if this, then that\n"),
    ];
    for (path, text) in files {
        let path = tree.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Engine::new(RepoRoot::at(&tree).unwrap(), folder.join("cache"))
}

fn everything() -> ComplexityRequest {
    ComplexityRequest {
        paths: Vec::new(),
        tests: Tests::Left,
        order: Order::Cognitive,
        at_least: 1,
        limit: 100,
    }
}

/// `path:line symbol score` of each item.
fn lines(request: &ComplexityRequest) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let answer = complexity(&engine(folder.path()), request, &Deadline::after(PATIENCE)).unwrap();
    assert_eq!(answer.limits, [""; 0]);
    let line = |item: &FunctionComplexity| {
        format!("{}:{} {} {}", item.path, item.start_line, item.symbol, item.score)
    };
    answer.items.iter().filter(|item| item.symbol != "broken").map(line).collect()
}

#[test]
fn the_worst_comes_first_in_the_order_asked_for() {
    assert_eq!(lines(&everything()), ["src/a.rs:3 nested 6", "src/b.py:1 ways 1"]);
    let ways = ComplexityRequest { order: Order::Cyclomatic, at_least: 2, ..everything() };
    assert_eq!(lines(&ways), ["src/b.py:1 ways 6", "src/a.rs:3 nested 4"]);
    let first = ComplexityRequest { limit: 1, ..everything() };
    assert_eq!(lines(&first), ["src/a.rs:3 nested 6"]);
}

#[test]
fn tests_and_paths_are_chosen() {
    let with_tests = ComplexityRequest { tests: Tests::Counted, at_least: 2, ..everything() };
    assert_eq!(lines(&with_tests), ["src/a.rs:3 nested 6", "tests/t.py:1 test_all 3"]);
    let named = ComplexityRequest { paths: vec!["tests/t.py".into()], ..everything() };
    assert_eq!(lines(&named), ["tests/t.py:1 test_all 3"]);
    let folder = ComplexityRequest { paths: vec!["./src/".into()], at_least: 2, ..everything() };
    assert_eq!(lines(&folder), ["src/a.rs:3 nested 6"]);
}

#[test]
fn a_path_that_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let request = ComplexityRequest { paths: vec!["../etc".into()], ..everything() };
    let error =
        complexity(&engine(folder.path()), &request, &Deadline::after(PATIENCE)).unwrap_err();
    assert!(error.to_string().starts_with("there is no file or folder `../etc`"), "{error}");
}

#[test]
fn what_was_not_measured_in_time_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let view = engine(folder.path()).view(&Deadline::after(PATIENCE)).unwrap();
    let answer = complexity_in(&view, &everything(), &Deadline::after(Duration::ZERO)).unwrap();
    assert_eq!(answer.limits, ["time was over: 3 of 3 files were not measured"]);
    assert!(answer.truncated && answer.items.is_empty());
}
