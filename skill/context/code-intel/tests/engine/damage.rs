//! A damaged, foreign or incomplete index is rebuilt; it never breaks an answer.

use std::fs;

use crate::repository::Repository;

fn small() -> Repository {
    let repository = Repository::new(&[
        ("a.rs", "use crate::b::beta;\n/// Doc.\npub fn alpha() -> u8 { beta() }\n"),
        ("b.rs", "pub struct Beta { field: u8 }\nimpl Beta { pub fn beta(&self) -> u8 { 1 } }\n"),
        ("c.md", "words about alpha\n"),
    ]);
    assert_eq!(repository.defined("alpha"), ["a.rs:3"]);
    repository
}

#[test]
fn a_file_that_is_cut_anywhere_is_made_anew() {
    let repository = small();
    for ending in [".segment", "manifest"] {
        let length = fs::read(repository.index_file(ending)).unwrap().len();
        let step = (length / 40).max(1);
        for end in (0..length).step_by(step).chain([length - 1]) {
            let path = repository.index_file(ending);
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..end.min(whole.len())]).unwrap();
            assert_eq!(repository.defined("alpha"), ["a.rs:3"], "{ending} cut at {end}");
        }
    }
}

#[test]
fn a_byte_that_changes_anywhere_is_noticed() {
    let repository = small();
    for ending in [".segment", "manifest"] {
        let length = fs::read(repository.index_file(ending)).unwrap().len();
        for at in (0..length).step_by((length / 60).max(1)) {
            let path = repository.index_file(ending);
            let mut bytes = fs::read(&path).unwrap();
            let at = at.min(bytes.len() - 1);
            bytes[at] ^= 0x55;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(repository.defined("alpha"), ["a.rs:3"], "{ending} changed at {at}");
            assert_eq!(repository.defined("Beta"), ["b.rs:1", "b.rs:2"], "{ending} at {at}");
        }
    }
}

#[test]
fn a_missing_segment_and_left_over_files_do_no_harm() {
    let repository = small();
    fs::remove_file(repository.index_file(".segment")).unwrap();
    assert_eq!(repository.defined("alpha"), ["a.rs:3"]);
    let folder = repository.index_file("manifest").parent().unwrap().to_owned();
    fs::write(folder.join("0000000000000001-00000001.segment.partial"), b"half").unwrap();
    fs::write(folder.join("manifest.partial"), b"half").unwrap();
    repository.write("d.rs", "fn delta() {}\n");
    assert_eq!(repository.defined("delta"), ["d.rs:1"]);
    let left: Vec<_> = repository.index_files();
    assert!(left.iter().all(|file| !file.to_str().unwrap().ends_with(".partial")), "{left:?}");
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let repository = small();
    let path = repository.index_file("manifest");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("code-intel ", "code-intel 9", 1)).unwrap();
    assert_eq!(repository.defined("alpha"), ["a.rs:3"]);
    assert!(
        fs::read_to_string(repository.index_file("manifest")).unwrap().starts_with("code-intel ")
    );
}
