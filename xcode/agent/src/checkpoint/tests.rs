//! Real folders, in a git repository and outside of one; what a turn does is done by hand.

mod restart;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use host::Beneath;
use llm::Cancel;
use tempfile::TempDir;

use super::{CONFLICT, Checkpoints, UndoWay, Undone};

struct Place {
    folder: TempDir,
    checkpoints: Checkpoints,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("work/src")).unwrap();
        let home = Beneath::private(&root, ".xcode");
        let checkpoints = Checkpoints::new(home, "session", vec![root.join("work")]);
        let place = Self { folder, checkpoints };
        place.write("src/a.rs", "fn a() {}\n");
        place.write("data.bin", "\0\u{1}\r\n");
        place.write("run.sh", "#!/bin/sh\n");
        place.mode("run.sh", 0o751);
        place.write(".gitignore", "target/\n*.log\n");
        place.write("target/out", "built");
        symlink("src/a.rs", place.at("link")).unwrap();
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The program ends, and another one goes on with the session.
    fn restart(&mut self) {
        let root = self.folder.path().canonicalize().unwrap();
        let home = Beneath::private(&root, ".xcode");
        self.checkpoints = Checkpoints::new(home, "session", vec![root.join("work")]);
    }

    /// Where the session's files are kept.
    fn kept(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(".xcode/checkpoints/session")
    }

    fn begin(&mut self) {
        self.checkpoints.begin(1, &Cancel::new()).unwrap();
    }

    fn end(&mut self) {
        self.checkpoints.end().unwrap();
    }

    fn undo(&mut self, way: UndoWay) -> Undone {
        let preview = self.checkpoints.preview(way).unwrap().unwrap();
        let (line, mut undone) = self.checkpoints.undo(way).unwrap().unwrap();
        assert_eq!(line, 1);
        let mut shown = preview;
        [&mut shown.restored, &mut shown.removed].into_iter().for_each(|paths| paths.sort());
        shown.left.sort();
        assert_eq!(undone, shown, "what was shown is what is done");
        let work = self.at("");
        for paths in [&mut undone.restored, &mut undone.removed] {
            paths.iter_mut().for_each(|path| *path = path.strip_prefix(&work).unwrap().to_owned());
        }
        undone
    }

    /// Every path with what it is.
    fn tree(&self) -> Vec<(PathBuf, u32, Vec<u8>)> {
        let mut tree = Vec::new();
        let mut folders = vec![self.at("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let content = if metadata.is_dir() {
                    folders.push(path.clone());
                    Vec::new()
                } else if metadata.is_symlink() {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                } else {
                    fs::read(&path).unwrap()
                };
                tree.push((path, metadata.permissions().mode(), content));
            }
        }
        tree.sort();
        tree
    }
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// What a command may do: change, replace, remove, make, move, link, and change modes.
fn work(place: &Place) {
    place.write("src/a.rs", "fn b() {}\n");
    place.write("data.bin", "other");
    place.mode("run.sh", 0o644);
    fs::remove_file(place.at("link")).unwrap();
    symlink("data.bin", place.at("link")).unwrap();
    place.write("new/deep/file.rs", "new");
    fs::rename(place.at("data.bin"), place.at("moved.bin")).unwrap();
    place.write("noise.log", "ignored");
    place.write("target/out", "built again");
}

#[test]
fn a_turn_is_taken_back_byte_for_byte_and_so_is_that() {
    for has_git in [false, true] {
        let mut place = Place::new();
        if has_git {
            place.write(".git/HEAD", "ref: refs/heads/main\n");
            place.write(".git/index", "the user's own");
        }
        let before = place.tree();
        place.begin();
        work(&place);
        place.end();
        let after = place.tree();
        let undone = place.undo(UndoWay::Turn);
        assert_eq!(undone.restored, paths(&["data.bin", "link", "run.sh", "src/a.rs"]));
        assert_eq!(undone.removed, paths(&["moved.bin", "new/deep/file.rs"]));
        assert_eq!(undone.left, []);
        // What git ignores stays as the turn left it.
        let ours = |tree: Vec<(PathBuf, u32, Vec<u8>)>| {
            let is_ours =
                |path: &Path| !path.ends_with("noise.log") && !path.ends_with("target/out");
            tree.into_iter().filter(|(path, ..)| is_ours(path)).collect::<Vec<_>>()
        };
        assert_eq!(ours(place.tree()), ours(before));
        assert!(place.checkpoints.preview(UndoWay::Turn).unwrap().is_none());
        place.undo(UndoWay::Undo);
        assert_eq!(place.tree(), after);
        assert!(place.checkpoints.preview(UndoWay::Undo).unwrap().is_none());
        place.undo(UndoWay::Turn);
    }
}

#[test]
fn what_somebody_else_changed_since_is_named_and_left() {
    let mut place = Place::new();
    place.begin();
    work(&place);
    place.end();
    place.write("src/a.rs", "fn mine() {}\n");
    place.write("new/deep/file.rs", "mine");
    place.write("new/other.rs", "mine");
    let undone = place.undo(UndoWay::Turn);
    let left: Vec<_> = undone.left.iter().map(|(path, why)| (path.clone(), why.as_str())).collect();
    let (file, code) = (place.at("new/deep/file.rs"), place.at("src/a.rs"));
    assert_eq!(left, [(file.clone(), CONFLICT), (code.clone(), CONFLICT)]);
    assert_eq!(fs::read_to_string(code).unwrap(), "fn mine() {}\n");
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    assert_eq!(fs::read_to_string(place.at("data.bin")).unwrap(), "\0\u{1}\r\n");
}

#[test]
fn turns_are_taken_back_one_by_one_and_a_new_one_ends_the_way_forward() {
    let mut place = Place::new();
    for text in ["one", "two", "three"] {
        place.begin();
        place.write("data.bin", text);
        place.end();
    }
    // A turn that changes nothing is not listed.
    place.begin();
    place.end();
    let read = |place: &Place| fs::read_to_string(place.at("data.bin")).unwrap();
    place.undo(UndoWay::Turn);
    assert_eq!(read(&place), "two");
    place.undo(UndoWay::Turn);
    assert_eq!(read(&place), "one");
    place.undo(UndoWay::Undo);
    assert_eq!(read(&place), "two");
    place.begin();
    place.write("data.bin", "other");
    place.end();
    assert!(place.checkpoints.preview(UndoWay::Undo).unwrap().is_none());
    place.undo(UndoWay::Turn);
    assert_eq!(read(&place), "two");
}

/// A turn removes the file that says what is ignored: what comes to light was there before.
#[test]
fn what_was_ignored_is_not_taken_for_new() {
    let mut place = Place::new();
    // Its time is before the turn.
    while fs::metadata(place.at("target/out")).unwrap().modified().unwrap().elapsed().unwrap()
        < super::LAG * 2
    {
        std::thread::yield_now();
    }
    place.begin();
    fs::remove_file(place.at(".gitignore")).unwrap();
    place.end();
    let undone = place.undo(UndoWay::Turn);
    assert_eq!((undone.restored, undone.removed), (paths(&[".gitignore"]), Vec::new()));
    assert!(place.at("target/out").exists());
}

#[test]
fn nothing_is_left_of_what_was_kept() {
    let mut place = Place::new();
    place.begin();
    let kept = place.folder.path().join(".xcode/checkpoints/session");
    assert!(fs::read_dir(&kept).unwrap().count() >= 3);
    assert_eq!(
        fs::metadata(place.folder.path().join(".xcode")).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let Place { folder, checkpoints } = place;
    drop(checkpoints);
    assert!(!kept.exists());
    drop(folder);
}
