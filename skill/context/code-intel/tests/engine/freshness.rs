//! A change in the tree is visible to the next question, and unchanged files are not read again.

use std::fs;

use crate::repository::Repository;

fn three() -> Repository {
    Repository::new(&[
        ("a.py", "def alpha():\n    return beta()\n"),
        ("b.py", "def beta():\n    return 1\n"),
        ("sub/c.py", "def gamma():\n    return 2\n"),
    ])
}

#[test]
fn a_changed_file_is_read_again() {
    let repository = three();
    assert_eq!(repository.defined("alpha"), ["a.py:1"]);
    repository.write("a.py", "\n\ndef delta():\n    pass\n");
    assert_eq!(repository.defined("alpha"), [""; 0]);
    assert_eq!(repository.defined("delta"), ["a.py:3"]);
    assert_eq!(repository.defined("beta"), ["b.py:1"]);
}

#[test]
fn a_change_of_the_same_length_at_once_is_seen() {
    let repository = three();
    for (name, other) in [("aaaa", "bbbb"), ("bbbb", "cccc"), ("cccc", "dddd"), ("dddd", "eeee")] {
        repository.write("a.py", format!("def {name}():\n    pass\n"));
        assert_eq!(repository.defined(name), ["a.py:1"]);
        repository.write("a.py", format!("def {other}():\n    pass\n"));
        assert_eq!(repository.defined(name), [""; 0]);
        assert_eq!(repository.defined(other), ["a.py:1"]);
    }
}

#[test]
fn an_added_a_removed_and_a_renamed_file_are_seen() {
    let repository = three();
    repository.status();
    repository.write("new/d.py", "def delta():\n    pass\n");
    assert_eq!(repository.defined("delta"), ["new/d.py:1"]);
    fs::remove_file(repository.path().join("a.py")).unwrap();
    assert_eq!(repository.defined("alpha"), [""; 0]);
    fs::rename(repository.path().join("b.py"), repository.path().join("sub/moved.py")).unwrap();
    assert_eq!(repository.defined("beta"), ["sub/moved.py:1"]);
    fs::rename(repository.path().join("sub"), repository.path().join("other")).unwrap();
    assert_eq!(repository.defined("beta"), ["other/moved.py:1"]);
    assert_eq!(repository.defined("gamma"), ["other/c.py:1"]);
    assert_eq!(repository.status().files, 3);
}

#[test]
fn what_did_not_change_leaves_the_index_alone() {
    let repository = three();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    for path in ["a.py", "b.py", "sub/c.py"] {
        let file = fs::File::options().write(true).open(repository.path().join(path)).unwrap();
        file.set_modified(old).unwrap();
    }
    // Young files are compared once more; after that, nothing is written any longer.
    let settled = (0..200).any(|_| {
        let before = repository.status().updated_s;
        let segments = repository.index_files();
        let generation = fs::read(repository.index_file("manifest")).unwrap();
        repository.status();
        before > 0
            && segments == repository.index_files()
            && generation == fs::read(repository.index_file("manifest")).unwrap()
    });
    assert!(settled);
    assert_eq!(repository.status().segments, 1);
}

#[test]
fn a_touched_file_is_compared_and_not_read_anew() {
    let repository = three();
    let before = repository.status();
    let file = fs::File::options().write(true).open(repository.path().join("a.py")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(5_000))
        .unwrap();
    let after = repository.status();
    assert_eq!((before.segments, after.segments), (1, 1));
    assert_eq!(repository.defined("alpha"), ["a.py:1"]);
}

#[test]
fn many_changes_stay_few_segments_and_right() {
    let repository = three();
    for round in 0..40 {
        repository.write("a.py", format!("def alpha_{round}():\n    pass\n"));
        repository.write(&format!("more/f{round}.py"), format!("def more_{round}():\n    pass\n"));
        assert_eq!(repository.defined(&format!("alpha_{round}")), ["a.py:1"]);
    }
    assert_eq!(repository.defined("alpha_3"), [""; 0]);
    assert_eq!(repository.defined("more_7"), ["more/f7.py:1"]);
    assert_eq!(repository.defined("gamma"), ["sub/c.py:1"]);
    let status = repository.status();
    assert_eq!(status.files, 43);
    assert!(status.segments <= 9, "{} segments", status.segments);
    // Beside the segments: the manifest, the lock and the words.
    assert!(repository.index_files().len() <= status.segments + 3);
}

#[test]
fn an_ignore_file_that_changes_takes_files_away_and_gives_them_back() {
    let repository = three();
    assert_eq!(repository.defined("gamma"), ["sub/c.py:1"]);
    repository.write(".gitignore", "sub/\n");
    assert_eq!(repository.defined("gamma"), [""; 0]);
    fs::remove_file(repository.path().join(".gitignore")).unwrap();
    assert_eq!(repository.defined("gamma"), ["sub/c.py:1"]);
}
