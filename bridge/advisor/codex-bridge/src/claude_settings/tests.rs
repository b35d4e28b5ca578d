//! Real files: what is there before and after.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().canonicalize().unwrap().join("claude/settings.json");
    (folder, path)
}

fn files(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_missing_file_is_made_and_goes_again() {
    let (_folder, path) = folder();
    let made = apply(&path, Change::Add, Run::Dry).unwrap();
    assert_eq!((made.outcome, files(&path).len()), (Outcome::Made, 0), "a dry run writes nothing");
    assert_eq!(apply(&path, Change::Add, Run::Real).unwrap().outcome, Outcome::Made);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(apply(&path, Change::Add, Run::Real).unwrap().outcome, Outcome::Unchanged);
    assert_eq!(files(&path), ["settings.json"]);
    assert_eq!(apply(&path, Change::Remove, Run::Real).unwrap().outcome, Outcome::Removed);
    assert_eq!(files(&path), Vec::<String>::new());
}

#[test]
fn a_file_of_the_user_is_copied_before_it_changes_and_keeps_link_and_mode() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let real = path.with_file_name("dotfiles.json");
    let text = "{\n  \"model\": \"opus\"\n}\n";
    fs::write(&real, text).unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &path).unwrap();
    let applied = apply(&path, Change::Add, Run::Real).unwrap();
    assert_eq!((applied.outcome, &applied.path), (Outcome::Changed, &real));
    let backup = applied.backup.unwrap();
    assert_eq!(fs::read_to_string(&backup).unwrap(), text);
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    let written = fs::read_to_string(&path).unwrap();
    assert!(RULES.iter().all(|rule| written.contains(rule)), "{written}");
    apply(&path, Change::Remove, Run::Real).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "as it was");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{ \"permissions\": }").unwrap();
    let error = apply(&path, Change::Add, Run::Real).unwrap_err().to_string();
    assert!(error.contains("was left alone: line 1, column 18"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ \"permissions\": }");
    assert_eq!(files(&path), ["settings.json"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = apply(&path, Change::Add, Run::Real).unwrap_err();
    assert!(matches!(error, SetupError::File { .. }), "{error}");
}

#[test]
fn the_settings_are_where_claude_code_looks() {
    let of = |pairs: &[(&str, &str)]| {
        path(&pairs.iter().copied().collect()).map_err(|error| error.to_string())
    };
    assert_eq!(of(&[("HOME", "/home/me")]), Ok("/home/me/.claude/settings.json".into()));
    let named = [("HOME", "/home/me"), ("CLAUDE_CONFIG_DIR", "/elsewhere")];
    assert_eq!(of(&named), Ok("/elsewhere/settings.json".into()));
    assert!(of(&[]).unwrap_err().contains("HOME is not set"));
}
