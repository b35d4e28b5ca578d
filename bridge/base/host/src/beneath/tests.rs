//! No path leads out of the folder, whatever its content.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{Beneath, IGNORE_ALL, IGNORE_FILE, Link, NotPrivate};

fn is<E: std::error::Error + 'static>(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.downcast_ref::<E>().is_some())
}

#[test]
fn files_are_written_read_moved_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let beneath = Beneath::of(folder.path());
    beneath.replace("a/b/c.txt", b"one").unwrap();
    beneath.replace("a/b/c.txt", b"two").unwrap();
    beneath.append("a/b/log").unwrap().write_all(b"x").unwrap();
    beneath.append("a/b/log").unwrap().write_all(b"y").unwrap();
    let mut text = String::new();
    beneath.open("a/b/log").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "xy");
    beneath.rename("a/b/log", "a/d/log").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("a/b/c.txt")).unwrap(), "two");
    assert_eq!(beneath.names("a/b").unwrap(), ["c.txt"]);
    assert!(beneath.metadata("a/d").unwrap().is_dir());
    beneath.remove("a/b/c.txt").unwrap();
    beneath.remove("a/b/c.txt").unwrap();
    assert_eq!(beneath.open("a/b/c.txt").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn nothing_is_touched_behind_a_link() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(outside.path().join("sub")).unwrap();
    fs::write(outside.path().join("sub/f"), "theirs").unwrap();
    symlink(outside.path(), folder.path().join("link")).unwrap();
    symlink(outside.path().join("sub/f"), folder.path().join("file")).unwrap();
    symlink(outside.path().join("new"), folder.path().join("dangling")).unwrap();
    let beneath = Beneath::of(folder.path());
    for error in [
        beneath.open("link/sub/f").unwrap_err(),
        beneath.append("link/sub/f").unwrap_err(),
        beneath.replace("link/sub/f", b"ours").unwrap_err(),
        beneath.replace("link/new/f", b"ours").unwrap_err(),
        beneath.remove("link/sub/f").unwrap_err(),
        beneath.rename("link/sub/f", "x").unwrap_err(),
        beneath.make("link/made").unwrap_err(),
        beneath.names("link/sub").unwrap_err(),
        beneath.metadata("link/sub/f").unwrap_err(),
        beneath.open("file").unwrap_err(),
        beneath.append("file").unwrap_err(),
        beneath.lock_file("file").unwrap_err(),
        beneath.append("dangling").unwrap_err(),
    ] {
        assert!(is::<Link>(&error), "{error:?}");
    }
    // The link itself is what is replaced and removed.
    beneath.replace("file", b"ours").unwrap();
    beneath.replace("dangling", b"ours").unwrap();
    assert!(!folder.path().join("file").is_symlink());
    beneath.remove("link").unwrap();
    assert_eq!(fs::read_to_string(outside.path().join("sub/f")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_second_name_a_pipe_and_a_way_up_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let beneath = Beneath::of(folder.path());
    fs::write(folder.path().join("f"), "x").unwrap();
    fs::hard_link(folder.path().join("f"), folder.path().join("g")).unwrap();
    assert_eq!(beneath.append("g").unwrap_err().kind(), ErrorKind::InvalidData);
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert_eq!(beneath.open("pipe").unwrap_err().kind(), ErrorKind::InvalidData);
    for path in ["../x", "/etc/passwd", "a/../../x"] {
        assert!(beneath.open(path).is_err(), "{path}");
        assert!(beneath.replace(path, b"").is_err(), "{path}");
    }
}

#[test]
fn a_private_folder_is_made_for_one_user_and_refused_when_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("home/state");
    let private = Beneath::private(&state, "ours/court");
    assert_eq!(private.open("x").unwrap_err().kind(), ErrorKind::NotFound);
    private.replace("deep/x", b"1").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state.join("ours")), 0o700);
    assert_eq!(mode(&state.join("ours/court/deep")), 0o700);
    assert_eq!(mode(&state.join("ours/court/deep/x")), 0o600);
    for open in [0o755, 0o770, 0o701] {
        fs::set_permissions(state.join("ours"), fs::Permissions::from_mode(open)).unwrap();
        assert!(is::<NotPrivate>(&private.open("deep/x").unwrap_err()), "{open:o}");
        assert!(is::<NotPrivate>(&private.replace("deep/x", b"2").unwrap_err()), "{open:o}");
    }
    fs::set_permissions(state.join("ours"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::rename(state.join("ours"), state.join("away")).unwrap();
    symlink(state.join("away"), state.join("ours")).unwrap();
    assert!(is::<Link>(&private.open("court/deep/x").unwrap_err()));
}

#[test]
fn a_folder_of_ours_is_made_with_its_ignore_file_and_one_that_is_there_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = |path: &str| fs::read_to_string(folder.path().join(path).join(IGNORE_FILE)).ok();
    let beneath = Beneath::of(folder.path()).ignoring(&["ours", "their/ours", "committed"]);
    fs::create_dir(folder.path().join("committed")).unwrap();
    beneath.replace("ours/deep/x", b"1").unwrap();
    beneath.append("their/ours/log").unwrap();
    beneath.make("committed/deep").unwrap();
    beneath.make("other").unwrap();
    for (path, ignored) in [
        ("ours", true),
        ("ours/deep", false),
        ("their", false),
        ("their/ours", true),
        ("committed", false),
        ("committed/deep", false),
        ("other", false),
    ] {
        assert_eq!(text(path).is_some(), ignored, "{path}");
    }
    assert_eq!(text("ours").as_deref(), Some(IGNORE_ALL));
    // Whoever takes it away wants to see the folder.
    fs::remove_file(folder.path().join("ours").join(IGNORE_FILE)).unwrap();
    beneath.replace("ours/deep/y", b"2").unwrap();
    assert_eq!(text("ours"), None);
}

#[test]
fn a_folder_that_is_made_closed_is_this_users_alone() {
    let folder = tempfile::tempdir().unwrap();
    let beneath = Beneath::of(folder.path()).closing(&["a/b"]);
    beneath.replace("a/b/c/f", b"x").unwrap();
    beneath.sync("a/b/c").unwrap();
    let mode =
        |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o077;
    assert_eq!(mode("a/b"), 0);
    assert_ne!((mode("a"), mode("a/b/c")), (0, 0));
    assert_eq!(beneath.sync("gone").unwrap_err().kind(), ErrorKind::NotFound);
}
