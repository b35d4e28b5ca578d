//! A path is replaced between judgement and run, or during a run.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

/// How often the paths change while files are written.
const SWAPS: usize = 2_000;

/// A limit for a machine on which the threads do not meet.
const SWAPS_MAX: usize = 2_000_000;

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// A folder and a file of the workspace, and links beside them that lead outside.
fn tree() -> Tree {
    let tree = Tree::new().with("folder/f", "inside\n").with("file", "inside\n");
    fs::create_dir(tree.outside.join("sub")).unwrap();
    fs::write(tree.outside.join("f"), "outside\n").unwrap();
    symlink(&tree.outside, tree.root.join("folder-link")).unwrap();
    symlink(tree.outside.join("f"), tree.root.join("file-link")).unwrap();
    tree
}

fn assert_outside_is_as_it_was(tree: &Tree) {
    let mut names: Vec<_> =
        fs::read_dir(&tree.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["f", "sub"]);
    assert_eq!(fs::read_dir(tree.outside.join("sub")).unwrap().count(), 0);
    assert_eq!(fs::read(tree.outside.join("f")).unwrap(), b"outside\n");
}

fn calls() -> [(&'static str, Value); 7] {
    [
        ("writeFile", json!({ "filePath": "folder/new", "content": "ours\n" })),
        ("writeFile", json!({ "filePath": "folder/sub/deep/new", "content": "ours\n" })),
        ("writeFile", json!({ "filePath": "folder/f", "content": "inside\n" })),
        ("writeFile", json!({ "filePath": "file", "content": "inside\n" })),
        ("readFile", json!({ "filePath": "folder/f" })),
        ("edit", json!({ "filePath": "folder/f", "oldString": "side\n", "newString": "side\n\n" })),
        ("edit", json!({ "filePath": "file", "oldString": "side\n", "newString": "side\n\n" })),
    ]
}

#[test]
fn a_path_that_changes_after_the_judgement_is_refused() {
    let tree = tree();
    tree.read("folder/f");
    tree.read("file");
    let swap = || {
        exchange(&tree.root.join("folder"), &tree.root.join("folder-link"));
        exchange(&tree.root.join("file"), &tree.root.join("file-link"));
    };
    for (name, arguments) in calls() {
        let action = tree.judged(name, &arguments);
        swap();
        let outcome = tree.run(name, &arguments, &action);
        let text = &outcome.text;
        assert!(text.contains(" is not touched: a link in its path was made after"), "{text}");
        assert_eq!(outcome.status, CallStatus::Error);
        swap();
    }
    let (grep, list) =
        (json!({ "pattern": "side", "path": "folder" }), json!({ "path": "folder" }));
    for (name, arguments) in [("grep", grep), ("listDir", list)] {
        let action = tree.judged(name, &arguments);
        swap();
        let outcome = tree.run(name, &arguments, &action);
        assert_eq!(outcome.status, CallStatus::Error, "{}", outcome.text);
        swap();
    }
    assert_outside_is_as_it_was(&tree);
}

#[test]
fn nothing_outside_is_written_while_paths_are_swapped_two_thousand_times() {
    let tree = tree();
    let (swaps, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) && swaps.load(Ordering::Relaxed) < SWAPS_MAX {
                exchange(&tree.root.join("folder"), &tree.root.join("folder-link"));
                exchange(&tree.root.join("file"), &tree.root.join("file-link"));
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        while swaps.load(Ordering::Relaxed) < SWAPS_MAX
            && (swaps.load(Ordering::Relaxed) < SWAPS || written < 100 || refused < 100)
        {
            for (name, arguments) in calls() {
                let action = tree.judged(name, &arguments);
                let (Action::Read { path } | Action::Write { path }) = &action else {
                    panic!("{action:?}")
                };
                // What leads outside is not allowed here, as it would not be without a question.
                if !path.starts_with(&tree.root) {
                    continue;
                }
                let outcome = tree.run(name, &arguments, &action);
                assert!(!outcome.text.contains("\toutside"), "{name}: {}", outcome.text);
                if outcome.text.contains(" is not touched: ") {
                    refused += 1;
                } else if !outcome.changed.is_empty() {
                    written += 1;
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_outside_is_as_it_was(&tree);
    let swaps = swaps.into_inner();
    assert!(swaps >= SWAPS && written >= 100 && refused >= 100, "{swaps} {written} {refused}");
}
