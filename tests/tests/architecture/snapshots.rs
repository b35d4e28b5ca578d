//! Unused snapshots, and snapshot changes that were not reviewed.

use crate::tree::{File, files};

#[test]
fn every_snapshot_is_reviewed_and_belongs_to_a_test() {
    let files = files();
    for snapshot in files.iter().filter(|file| file.path.ends_with(".snap")) {
        let owner = owner(snapshot, &files);
        assert!(owner.is_some(), "no test compares with {}", snapshot.path);
    }
    let pending = files.iter().find(|file| file.path.ends_with(".snap.new"));
    assert!(pending.is_none(), "unreviewed: {}", pending.unwrap().path);
}

/// The source that the snapshot names in its head, if it still names the snapshot: as a text, or
/// as the test whose name insta used (with a number from the second on).
fn owner<'f>(snapshot: &File, files: &'f [File]) -> Option<&'f File> {
    let mut head = snapshot.text.lines().skip(1).take_while(|line| *line != "---");
    let source = head.find_map(|line| line.strip_prefix("source: "))?;
    let file_name = snapshot.path.rsplit('/').next()?.strip_suffix(".snap")?;
    let name = file_name.rsplit("__").next()?;
    let unnumbered = name.trim_end_matches(|each: char| each.is_ascii_digit());
    let test = unnumbered.strip_suffix('-').unwrap_or(name);
    files
        .iter()
        .filter(|file| file.path == source)
        .find(|file| file.mentions(test) || file.text.contains(&format!("\"{name}\"")))
}
