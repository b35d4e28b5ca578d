//! Sessions are stored where possible, private and ignored by git, and no path leads out.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use redact::Redactor;

use super::Places;
use crate::journal::Journal;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn begin(places: &Places) -> Journal {
    Journal::create(places, "0.1.0", Redactor::new()).unwrap()
}

#[test]
fn sessions_of_a_project_are_closed_and_out_of_git() {
    let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let journal = begin(&Places::new(home.path(), root.path()));
    let sessions = root.path().join(".x-code/sessions");
    assert_eq!(journal.path(), sessions.join(format!("{}.jsonl", journal.id())));
    assert_eq!((mode(&sessions), mode(&journal.path())), (0o700, 0o600));
    let ignored = fs::read_to_string(root.path().join(".x-code/.gitignore")).unwrap();
    assert_eq!(ignored, "sessions/\nlocal/\n");
    // In the home folder stands only that the user began it.
    let begun = home.path().join(".xcode/sessions-begun.txt");
    assert_eq!(fs::read_dir(home.path().join(".xcode")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&begun).unwrap(), format!("{}\n", journal.id()));
    assert_eq!((mode(begun.parent().unwrap()), mode(&begun)), (0o700, 0o600));
}

#[test]
fn what_the_user_has_in_the_folder_stays() {
    let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(root.path().join(".x-code")).unwrap();
    fs::write(root.path().join(".x-code/.gitignore"), "mine\n").unwrap();
    begin(&Places::new(home.path(), root.path()));
    let ignored = fs::read_to_string(root.path().join(".x-code/.gitignore")).unwrap();
    assert_eq!(ignored, "mine\n");
    // Its own file keeps the sessions out of git all the same.
    let ignored = fs::read_to_string(root.path().join(".x-code/sessions/.gitignore")).unwrap();
    assert!(ignored.ends_with("*\n"), "{ignored}");
}

#[test]
fn in_the_home_folder_sessions_lie_in_the_users_folder() {
    let home = tempfile::tempdir().unwrap();
    let journal = begin(&Places::new(home.path(), home.path().join(".")));
    assert!(journal.path().starts_with(home.path().join(".xcode/sessions")));
    assert_eq!(mode(&home.path().join(".xcode")), 0o700);
    assert!(!home.path().join(".x-code").exists());
}

/// There another user could read them, or put another conversation in the place of one that the user began.
#[test]
fn in_a_folder_that_another_user_can_write_to_no_sessions_are_kept() {
    for open in ["", ".x-code", ".x-code/sessions"] {
        let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(root.path().join(".x-code/sessions")).unwrap();
        let places = Places::new(home.path(), root.path());
        fs::set_permissions(root.path().join(open), fs::Permissions::from_mode(0o777)).unwrap();
        let journal = begin(&places);
        assert!(journal.path().starts_with(home.path().join(".xcode/sessions")), "{open}");
        fs::set_permissions(root.path().join(open), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(begin(&places).path().starts_with(root.path().join(".x-code")), "{open}");
    }
}

#[test]
fn where_the_project_takes_no_session_the_users_folder_does() {
    type Hinder = fn(&Path, &Path);
    let hindrances: [Hinder; 4] = [
        |root, _| fs::write(root.join(".x-code"), "a file").unwrap(),
        |root, outside| symlink(outside, root.join(".x-code")).unwrap(),
        |root, outside| {
            fs::create_dir(root.join(".x-code")).unwrap();
            symlink(outside, root.join(".x-code/sessions")).unwrap();
        },
        |root, _| fs::remove_dir(root).unwrap(),
    ];
    for hinder in hindrances {
        let [home, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let root = home.path().join("work");
        fs::create_dir(&root).unwrap();
        hinder(&root, outside.path());
        let places = Places::new(home.path(), &root);
        let mut journal = begin(&places);
        assert!(journal.path().starts_with(home.path().join(".xcode/sessions")));
        journal.append(crate::journal::tests::user("hello")).unwrap();
        journal.write_summary().unwrap();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        let id = journal.id();
        drop(journal);
        let again =
            Journal::resume(&places, None, crate::Continuing::Same, "0.1.0", Redactor::new());
        assert_eq!(again.unwrap().0.id(), id);
    }
}

#[test]
fn a_folder_of_the_user_that_is_open_to_others_is_refused() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".xcode")).unwrap();
    fs::set_permissions(home.path().join(".xcode"), fs::Permissions::from_mode(0o755)).unwrap();
    let places = Places::new(home.path(), home.path());
    let refused = Journal::create(&places, "0.1.0", Redactor::new()).unwrap_err();
    let source = std::error::Error::source(&refused).unwrap().to_string();
    assert!(source.contains("chmod 700"), "{source}");
}
