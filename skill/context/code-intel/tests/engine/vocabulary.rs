//! The repository's vocabulary: created with the index, read without it, and rebuilt when damaged.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use intent::Vocabulary;
use intent::index_folder::IndexFolder;

use crate::repository::Repository;

fn shop() -> Repository {
    Repository::new(&[
        ("src/pricing/discount.py", "class TaxTable:\n    def round_up(self):\n        return 1\n"),
        ("src/basket.py", "def round_down():\n    pass\n"),
        ("tests/test_zebra.py", "def test_giraffe():\n    pass\n"),
        ("docs/lion.py", "def tiger():\n    pass\n"),
        ("vendor/leopard.py", "def panther():\n    pass\n"),
        ("elephant.md", "monkey\n"),
    ])
}

fn words(repository: &Repository) -> Option<Vocabulary> {
    let root = repository.path().canonicalize().unwrap();
    Vocabulary::of(&IndexFolder::new(&repository.cache(), &root))
}

#[test]
fn paths_and_definitions_of_sources_are_known_once_there_is_an_index() {
    let repository = shop();
    assert_eq!(words(&repository), None, "nothing is made for who only asks");
    repository.view();
    let words = words(&repository).unwrap();
    assert_eq!(words.sources(), 2);
    for (stem, sources) in [
        ("pric", 1),
        ("discount", 1),
        ("basket", 1),
        ("round", 2),
        ("round_up", 1),
        ("taxtabl", 1),
        ("tabl", 1),
        ("zebra", 0),
        ("giraff", 0),
        ("lion", 0),
        ("tig", 0),
        ("leopard", 0),
        ("elephant", 0),
        ("monkey", 0),
        ("return", 0),
    ] {
        assert_eq!(words.sources_with(stem), sources, "{stem}");
    }
}

/// A tree that is an example as a whole has words of its own.
#[test]
fn a_tree_of_examples_is_known_by_its_examples() {
    let pet = |number| format!("src/samples/clinic/pet{number}.py");
    let paths: Vec<String> = (0..11).map(pet).collect();
    let files: Vec<(&str, &str)> =
        paths.iter().map(|path| (path.as_str(), "def vaccinate():\n    pass\n")).collect();
    let repository = Repository::new(&files);
    repository.view();
    let words = words(&repository).unwrap();
    assert_eq!((words.sources(), words.sources_with("vaccinat")), (11, 11));
}

#[test]
fn words_follow_the_tree() {
    let repository = shop();
    repository.view();
    repository.write("src/voucher.py", "def redeem():\n    pass\n");
    fs::remove_file(repository.path().join("src/basket.py")).unwrap();
    repository.view();
    let words = words(&repository).unwrap();
    let known = ["vouch", "redeem", "basket"].map(|stem| words.sources_with(stem));
    assert_eq!(known, [1, 1, 0]);
}

/// Whatever becomes of the file: it is the right one, or none, and the next question makes it anew.
#[test]
fn a_file_that_is_cut_or_changed_anywhere_is_none() {
    let repository = shop();
    repository.view();
    let path = repository.index_file("words");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        fs::write(&path, &changed).unwrap();
        assert_eq!(words(&repository), None, "changed at {at}");
        fs::write(&path, &bytes[..at]).unwrap();
        assert_eq!(words(&repository), None, "cut at {at}");
    }
    repository.view();
    assert_eq!(words(&repository).unwrap().sources_with("basket"), 1);
}

#[test]
fn what_another_could_have_written_is_not_read() {
    let repository = shop();
    repository.view();
    let path = repository.index_file("words");
    let elsewhere = repository.outside().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert_eq!(words(&repository), None, "behind a link");
    fs::remove_file(&path).unwrap();
    fs::rename(&elsewhere, &path).unwrap();
    assert!(words(&repository).is_some());
    fs::set_permissions(repository.cache(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(words(&repository), None, "in a folder that all may write to");
}

#[test]
fn words_go_with_the_index() {
    let repository = shop();
    repository.view();
    assert_eq!(code_intel::cache::clear(&repository.cache(), None).unwrap().dropped.len(), 1);
    assert_eq!(fs::read_dir(repository.cache()).unwrap().count(), 0);
}
