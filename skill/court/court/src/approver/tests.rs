//! Valid and invalid keys, and attempts at passphrases.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::{Approver, Files, KeyState, Locked, Moment, SecretKey, Voucher};

const PASSPHRASE: &str = "four words of mine";

struct User {
    folder: TempDir,
    approver: Approver,
}

impl User {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut files = Files::of(&folder.path().join("config"), &folder.path().join("state"));
        files.pinned = folder.path().join("etc/approver.pub");
        Self { approver: Approver::new(files), folder }
    }

    fn pin(&self, text: &str) {
        fs::create_dir_all(self.folder.path().join("etc")).unwrap();
        fs::write(&self.approver.files().pinned, text).unwrap();
    }
}

#[test]
fn a_key_counts_once_its_user_has_agreed_and_a_swapped_one_never() {
    let user = User::new();
    let approver = &user.approver;
    assert_eq!(approver.standing(), KeyState::Absent);
    let key = approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    assert_eq!(approver.standing(), KeyState::Known { key, by: Voucher::User });
    for (path, mode) in [(&approver.files().key, 0o600), (&approver.files().memory, 0o600)] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{path:?}");
    }

    let own = fs::read_to_string(&approver.files().public).unwrap();
    let other = SecretKey::generate().unwrap();
    fs::write(&approver.files().public, other.public().line()).unwrap();
    assert!(matches!(approver.standing(), KeyState::Broken(_)));
    fs::remove_file(&approver.files().public).unwrap();
    assert!(matches!(approver.standing(), KeyState::Broken(_)));
    fs::write(&approver.files().public, own).unwrap();
    // Sealed by somebody else, under the same name.
    let sealed = other.seal(PASSPHRASE).unwrap().text();
    fs::write(&approver.files().key, sealed).unwrap();
    let now = Moment::now();
    assert!(matches!(approver.signer(PASSPHRASE, &now), Err(Locked::Foreign)));
    // What was remembered is gone: the key is not new, and not known either.
    fs::remove_file(&approver.files().memory).unwrap();
    assert!(matches!(approver.standing(), KeyState::Broken(_)));
}

#[test]
fn the_old_key_vouches_for_the_new_one() {
    let user = User::new();
    let approver = &user.approver;
    let first = approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    let old = approver.signer(PASSPHRASE, &Moment::now()).unwrap();
    let second = approver.make("other words of mine", Some(&old), &Moment::now()).unwrap();
    assert_ne!(first, second);
    assert_eq!(approver.standing(), KeyState::Known { key: second, by: Voucher::User });
    let memory = approver.files().memory().unwrap().unwrap();
    let agreed = memory.agreed.unwrap();
    assert_eq!(agreed.by, first.line());
    let text = format!("codex-bridge approver 1\nkey {}\n", second.line());
    assert!(first.signed(&text, &agreed.signature));
}

#[test]
fn five_wrong_passphrases_lock_it_for_a_quarter_of_an_hour() {
    let user = User::new();
    let approver = &user.approver;
    approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    let start = Moment::now();
    for left in [4, 3] {
        let found = approver.signer("wrong", &start);
        assert!(matches!(found, Err(Locked::Wrong { left: said }) if said == left));
    }
    // A right one begins anew.
    assert!(approver.signer(PASSPHRASE, &start).is_ok());
    for left in [4, 3, 2, 1] {
        let found = approver.signer("wrong", &start);
        assert!(matches!(found, Err(Locked::Wrong { left: said }) if said == left));
    }
    assert!(matches!(approver.signer("wrong", &start), Err(Locked::Out { .. })));
    assert!(matches!(approver.signer(PASSPHRASE, &start), Err(Locked::Out { .. })));
    // Setting the clock does not help; waiting does.
    let mut set = start.clone();
    set.ms += 3_600_000;
    assert!(matches!(approver.signer(PASSPHRASE, &set), Err(Locked::Out { .. })));
    let mut later = start.clone();
    later.boot_ms += 15 * 60 * 1000;
    assert!(approver.signer(PASSPHRASE, &later).is_ok());
}

#[test]
fn a_passphrase_that_is_tried_is_counted_even_where_the_process_ends() {
    let user = User::new();
    let approver = &user.approver;
    approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    let before = approver.files().memory().unwrap().unwrap();
    // Another process tries one now: this one cannot try at the same time.
    let lock = approver.files().lock().unwrap();
    assert!(matches!(approver.signer(PASSPHRASE, &Moment::now()), Err(Locked::File(_))));
    drop(lock);
    assert_eq!(approver.files().memory().unwrap().unwrap(), before);
    assert!(approver.signer("wrong", &Moment::now()).is_err());
    assert_eq!(approver.files().memory().unwrap().unwrap().wrong, 1);
}

#[test]
fn files_that_others_can_change_are_not_believed() {
    let user = User::new();
    let approver = &user.approver;
    approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    let chmod = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let files = approver.files();
    for (path, loose, right) in [(&files.public, 0o666, 0o644), (&files.memory, 0o644, 0o600)] {
        chmod(path, loose);
        assert!(matches!(approver.standing(), KeyState::Broken(_)), "{path:?}");
        chmod(path, right);
        assert!(matches!(approver.standing(), KeyState::Known { .. }), "{path:?}");
    }
    chmod(&files.key, 0o640);
    assert!(matches!(approver.signer(PASSPHRASE, &Moment::now()), Err(Locked::File(_))));
    // A link in the place of a file is not followed.
    let aside = files.public.with_extension("aside");
    fs::rename(&files.public, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &files.public).unwrap();
    assert!(matches!(approver.standing(), KeyState::Broken(_)));
}

#[test]
fn the_key_of_root_wins_and_a_broken_one_lets_nothing_count() {
    let user = User::new();
    let approver = &user.approver;
    let own = approver.make(PASSPHRASE, None, &Moment::now()).unwrap();
    let other = SecretKey::generate().unwrap().public();
    let uid = rustix::process::geteuid().as_raw();
    user.pin(&format!("# by root\n{} uid={}\n", other.line(), uid + 1));
    let KeyState::Known { key, by: Voucher::User } = approver.standing() else {
        // Somebody who is not root cannot write such a file that is believed.
        assert_ne!(uid, 0);
        return;
    };
    assert_eq!(key, own);
    for (text, expected) in [
        (format!("{}\n", other.line()), Some(other)),
        (format!("{}\n{} uid={uid}\n", other.line(), own.line()), Some(own)),
        ("ed25519 nonsense\n".to_owned(), None),
    ] {
        user.pin(&text);
        match expected {
            Some(key) => {
                assert_eq!(
                    approver.standing(),
                    KeyState::Known { key, by: Voucher::Root },
                    "{text}"
                );
            }
            None => assert!(matches!(approver.standing(), KeyState::Broken(_)), "{text}"),
        }
    }
    user.pin(&other.line());
    let loose = fs::Permissions::from_mode(0o666);
    fs::set_permissions(&approver.files().pinned, loose).unwrap();
    assert!(matches!(approver.standing(), KeyState::Broken(_)));
}
