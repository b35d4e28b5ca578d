//! `court approver pin`, the real one, as root and through sudo: in a mount namespace whose `/etc` is a folder
//! of the test, so that nothing of this machine is changed.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::approver::{PASSPHRASE, make_key};
use crate::fixture::{Fixture, answer, decision, text};
use crate::terminal::is_below_a_client;

const ROOT: u32 = 0;
const NOBODY: u32 = 65_534;
const PUSH: &str = "git push --force origin main";

/// What a user calls: `/etc` is this folder, and nobody else's.
const WITHIN: &str = "mount --bind \"$0\" /etc && exec \"$@\"";

/// A user's project and home, and the machine's `/etc` as they see it.
struct Machine {
    fixture: Fixture,
    etc: TempDir,
    user: u32,
}

impl Machine {
    /// With a key of the user's; `None`, said aloud, where this cannot be.
    fn new(user: u32) -> Option<Self> {
        let fixture = Fixture::new();
        make_key(&fixture);
        let etc = TempDir::new().unwrap();
        let home = fixture.home();
        let passwd = format!(
            "root:x:0:0::/root:/bin/sh\nsomeone:x:{NOBODY}:{NOBODY}::{}:/bin/sh\n",
            home.display()
        );
        fs::write(etc.path().join("passwd"), passwd).unwrap();
        fs::set_permissions(etc.path(), Permissions::from_mode(0o755)).unwrap();
        let machine = Self { fixture, etc, user };
        let folder = machine.fixture.home();
        fs::set_permissions(folder.parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
        machine.give();
        let tried = machine.court(user, &["--version"]).output().unwrap();
        if !tried.status.success() {
            skipping::impossible(&format!(
                "no mount namespace, or no way to the program: {}",
                text(&tried.stderr)
            ));
            return None;
        }
        Some(machine)
    }

    /// All of it is the user's.
    fn give(&self) {
        fn give(path: &Path, user: u32) {
            lchown(path, Some(user), Some(user)).unwrap();
            if path.is_dir() {
                fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), user));
            }
        }
        give(&self.fixture.home(), self.user);
        give(&self.fixture.project(), self.user);
    }

    /// A command of a user of this machine.
    fn court(&self, user: u32, args: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "sh", "-c", WITHIN])
            .arg(self.etc.path());
        let user = user.to_string();
        command.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"]);
        command.arg(env!("CARGO_BIN_EXE_court")).args(args);
        self.fixture.dress(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn told(mut command: Command, input: &str) -> Output {
        let mut child = command.spawn().unwrap();
        // Who asks for nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// `sudo court approver pin`, or root's own call.
    fn pin(&self, passphrase: &str) -> Output {
        let mut command = self.court(ROOT, &["approver", "pin", "--passphrase-stdin"]);
        if self.user != ROOT {
            command.env("SUDO_UID", self.user.to_string());
        }
        Self::told(command, &format!("{passphrase}\n"))
    }

    fn approver(&self) -> Value {
        let output = Self::told(self.court(self.user, &["approver", "--json"]), "");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    fn push(&self) -> Value {
        let mut command = self.court(self.user, &["hook"]);
        let mut child = command.spawn().unwrap();
        let call = self.fixture.bash(PUSH).to_string();
        let _ = child.stdin.take().unwrap().write_all(call.as_bytes());
        answer(child)
    }

    fn approve(&self, id: &str, passphrase: &str) -> Output {
        let command = self.court(self.user, &["approve", id, "--passphrase-stdin"]);
        Self::told(command, &format!("{passphrase}\n"))
    }

    /// Every file of the approver is another's now: key, public key, and the memory of what was agreed to.
    fn take_over(&self, stranger: &Fixture) {
        fn copied(from: &Path, to: &Path) -> usize {
            let entries = fs::read_dir(from).unwrap().map(|entry| entry.unwrap());
            entries
                .map(|entry| {
                    let (from, to) = (entry.path(), to.join(entry.file_name()));
                    if from.is_dir() {
                        return copied(&from, &to);
                    }
                    let is_ours = entry.file_name().to_string_lossy().starts_with("approver");
                    if is_ours {
                        fs::copy(from, to).unwrap();
                    }
                    usize::from(is_ours)
                })
                .sum()
        }
        assert!(copied(&stranger.home(), &self.fixture.home()) >= 3, "key, public key, memory");
        self.give();
    }
}

#[test]
fn the_key_that_root_pinned_wins_over_all_of_the_users_files() {
    if !rustix::process::geteuid().is_root() {
        return skipping::impossible("only root pins a key");
    }
    if is_below_a_client() {
        return;
    }
    let stranger = Fixture::new();
    make_key(&stranger);
    for user in [ROOT, NOBODY] {
        // What a pin prevents: without one, a key that takes the place of all files counts.
        let Some(open) = Machine::new(user) else { return };
        open.take_over(&stranger);
        assert_eq!(open.approver()["standing"], "own", "user {user}");
        assert_eq!(decision(&open.push()), "deny");
        let approved = open.approve("R1", PASSPHRASE);
        assert!(approved.status.success(), "user {user}: {}", text(&approved.stderr));
        assert_eq!(decision(&open.push()), "silence", "user {user}");

        let Some(machine) = Machine::new(user) else { return };
        let own = machine.approver();
        let wrong = machine.pin("a wrong passphrase");
        assert_eq!(wrong.status.code(), Some(1), "user {user}: {wrong:?}");
        assert_eq!(machine.approver(), own, "nothing is pinned without the passphrase");
        let pinned = machine.pin(PASSPHRASE);
        assert!(pinned.status.success(), "user {user}: {}", text(&pinned.stderr));
        let file = machine.etc.path().join("codex-bridge/approver.pub");
        let line = fs::read_to_string(&file).unwrap();
        assert!(line.ends_with(&format!(" uid={user}\n")), "{line}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
        let standing = machine.approver();
        assert_eq!(
            (&standing["standing"], &standing["fingerprint"]),
            (&"pinned".into(), &own["fingerprint"])
        );

        // The user's own key still approves.
        assert_eq!(decision(&machine.push()), "deny");
        let approved = machine.approve("R1", PASSPHRASE);
        assert!(approved.status.success(), "user {user}: {}", text(&approved.stderr));
        assert_eq!(decision(&machine.push()), "silence", "user {user}");

        machine.take_over(&stranger);
        assert_eq!(machine.approver()["fingerprint"], own["fingerprint"], "user {user}");
        assert_eq!(decision(&machine.push()), "deny");
        let approved = machine.approve("R2", PASSPHRASE);
        assert_eq!(approved.status.code(), Some(1), "user {user}: {approved:?}");
        assert_eq!(decision(&machine.push()), "deny", "user {user}");
    }
}
