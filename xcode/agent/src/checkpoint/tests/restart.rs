//! Checkpoints are usable by the session's next process, and lead nowhere else, whatever was changed on disk.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use host::Beneath;
use serde_json::{Value, json};

use super::super::{Checkpoints, UndoWay};
use super::{Place, work};

/// A place with one turn that an earlier program made.
fn left() -> Place {
    let mut place = Place::new();
    place.begin();
    work(&place);
    place.end();
    place.restart();
    place
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn hex(path: &Path) -> String {
    path.as_os_str().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn turns_last_over_restarts_and_are_taken_back_byte_for_byte() {
    let mut place = Place::new();
    let before = place.tree();
    place.begin();
    work(&place);
    place.end();
    let after = place.tree();
    place.restart();
    let undone = place.undo(UndoWay::Turn);
    assert_eq!((undone.restored.len(), undone.removed.len(), undone.left.len()), (4, 2, 0));
    let ours = |tree: Vec<(std::path::PathBuf, u32, Vec<u8>)>| -> Vec<_> {
        let is_ours = |path: &Path| !path.ends_with("noise.log") && !path.ends_with("target/out");
        tree.into_iter().filter(|(path, ..)| is_ours(path)).collect()
    };
    assert_eq!(ours(place.tree()), ours(before));
    // The undo is known to the next program, too.
    place.restart();
    assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none());
    place.undo(UndoWay::Undo);
    assert_eq!(place.tree(), after);
    // A change by somebody else between the two stays.
    place.write("src/a.rs", "fn mine() {}\n");
    place.restart();
    let undone = place.undo(UndoWay::Turn);
    assert_eq!(undone.left.len(), 1);
    assert_eq!(fs::read_to_string(place.at("src/a.rs")).unwrap(), "fn mine() {}\n");
}

#[test]
fn only_what_turns_need_stays_and_nobody_else_may_read_it() {
    let mut place = Place::new();
    place.write("unchanged", "of no turn");
    place.begin();
    work(&place);
    place.end();
    assert!(names(&place.kept()).len() > 7);
    place.restart();
    // Two files before and after, the new one; one moved with its content, one with its mode alone.
    let contents = names(&place.kept()).iter().filter(|name| name.len() == 64).count();
    assert_eq!(contents, 6, "{:?}", names(&place.kept()));
    for name in names(&place.kept()) {
        let mode = fs::metadata(place.kept().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    let bytes = fs::read(place.kept().join("turns.json")).unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains("of no turn"));
}

#[test]
fn a_record_that_was_changed_by_hand_is_none() {
    let bad_content = format!("../../{}", "a".repeat(58));
    for change in [
        |record: &mut Value, out: &str| record["turns"][0]["changes"][0]["path"] = json!(out),
        |record: &mut Value, out: &str| record["folders"][0]["path"] = json!(out),
        |record: &mut Value, _: &str| record["done"] = json!(2),
    ] {
        let mut place = left();
        let outside = place.folder.path().canonicalize().unwrap().join("outside");
        fs::write(&outside, "theirs").unwrap();
        altered(&place, |record| change(record, &hex(&outside)));
        assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none());
        assert!(place.checkpoints.undo(UndoWay::Turn).unwrap().is_none());
        assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
    }
    for path in ["../outside", "src/../../outside", ".git/hooks/post-commit", ""] {
        let mut place = left();
        let path = hex(&place.at("").join(path));
        altered(&place, |record| record["turns"][0]["changes"][0]["path"] = json!(path));
        assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none(), "{path}");
    }
    for content in [bad_content.as_str(), "", "turns.json"] {
        let mut place = left();
        let state = json!({"file": {"content": content, "mode": 0o644}});
        altered(&place, |record| record["turns"][0]["changes"][0]["before"] = state);
        assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none(), "{content}");
    }
    let mut place = left();
    fs::write(place.kept().join("turns.json"), "[").unwrap();
    assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none());
}

/// A way that is a link now is not followed, and a content that is another one is not written.
#[test]
fn neither_a_planted_link_nor_a_changed_content_is_written_through() {
    let mut place = left();
    let outside = place.folder.path().canonicalize().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.rs"), "fn b() {}\n").unwrap();
    fs::remove_dir_all(place.at("src")).unwrap();
    std::os::unix::fs::symlink(&outside, place.at("src")).unwrap();
    for name in names(&place.kept()).iter().filter(|name| name.len() == 64) {
        fs::write(place.kept().join(name), "planted").unwrap();
    }
    let undone = place.checkpoints.undo(UndoWay::Turn);
    assert_eq!(fs::read_to_string(outside.join("a.rs")).unwrap(), "fn b() {}\n");
    if let Ok(Some((_, undone))) = undone {
        let damaged = undone.left.iter().filter(|(_, why)| why.contains("damaged")).count();
        assert!(damaged > 0, "{undone:?}");
    }
    for file in ["data.bin", "run.sh", "moved.bin"] {
        let text = fs::read_to_string(place.at(file)).unwrap_or_default();
        assert!(!text.contains("planted"), "{file}");
    }
}

#[test]
fn two_programs_do_not_share_what_is_kept() {
    let mut place = left();
    assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_some());
    let root = place.folder.path().canonicalize().unwrap();
    let home = Beneath::private(&root, ".xcode");
    let mut other = Checkpoints::new(home, "session", vec![root.join("work")]);
    let error = other.preview(UndoWay::Turn).unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
    drop(other);
    assert!(place.kept().join("turns.json").exists());
}

#[test]
fn old_sessions_are_removed_and_running_ones_stay() {
    let mut place = Place::new();
    let all = place.folder.path().canonicalize().unwrap().join(".xcode/checkpoints");
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true).mode(0o700);
    for number in 0..30 {
        folders.create(all.join(format!("of-{number}"))).unwrap();
        fs::write(all.join(format!("of-{number}/turns.json")), "{}").unwrap();
    }
    let locks: Vec<_> = (0..30)
        .map(|number| {
            let lock = fs::File::create(all.join(format!("of-{number}/.lock"))).unwrap();
            // Each third one is a running program's.
            (number % 3 == 0).then(|| lock.try_lock().unwrap());
            lock
        })
        .collect();
    place.begin();
    let left = names(&all);
    for number in (0..30).step_by(3) {
        assert!(left.contains(&format!("of-{number}")), "{left:?}");
    }
    // 20, those of running programs beyond them, and the session's own.
    assert!((21..=31).contains(&left.len()) && left.len() < 31, "{left:?}");
    drop(locks);
    place.restart();
    place.begin();
    assert_eq!(names(&all).len(), 21);
}

/// Changes the record as somebody may who can write it.
fn altered(place: &Place, change: impl FnOnce(&mut Value)) {
    let path = place.kept().join("turns.json");
    let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut record);
    fs::write(path, record.to_string()).unwrap();
}
