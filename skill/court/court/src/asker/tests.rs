//! Determines the asker from processes in the form that `/proc` shows.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::{Doubt, Look, Of, Terminal};
use crate::asker::process::Processes;
use crate::environment::Environment;

/// One process: id, parent, session, number of its pseudo-terminal, when it began, name.
type Row = (u32, u32, u32, Option<u32>, u64, &'static str);

struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new(rows: &[Row]) -> Self {
        let machine = Self { folder: TempDir::new().unwrap() };
        for (pid, parent, session, terminal, began, name) in rows {
            let device = terminal.map_or(0, |number| (136 << 8) | number);
            let zeros = "0 ".repeat(14);
            let text =
                format!("{pid} ({name}) S {parent} {pid} {session} {device} {zeros}{began} 0\n");
            machine.write(*pid, "stat", &text);
            machine.write(*pid, "environ", "HOME=/home/ann\0");
            machine.write(*pid, "cmdline", &format!("{name}\0"));
            machine.write(*pid, "cgroup", "0::/user.slice\n");
        }
        machine
    }

    fn write(&self, pid: u32, name: &str, text: &str) {
        let folder = self.folder.path().join(pid.to_string());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
    }

    fn holds(&self, pid: u32, number: u32) {
        let folder = self.folder.path().join(pid.to_string());
        fs::create_dir_all(folder.join("fd")).unwrap();
        fs::create_dir_all(folder.join("fdinfo")).unwrap();
        symlink("/dev/pts/ptmx", folder.join("fd").join(number.to_string())).unwrap();
        fs::write(
            folder.join("fdinfo").join(number.to_string()),
            format!("pos:\t0\nflags:\t02\ntty-index:\t{number}\n"),
        )
        .unwrap();
    }

    fn doubt(&self, own: u32, terminal: Terminal) -> Option<Doubt> {
        let look = Look { processes: Processes::under(self.folder.path()) };
        look.doubt(own, &Environment::default(), terminal)
    }
}

/// A user's terminal (10), its shell (11) with a client (12), and a second shell (14) in which the
/// court (15) is asked.
const DESKTOP: [Row; 6] = [
    (1, 0, 1, None, 1, "systemd"),
    (10, 1, 10, None, 100, "terminal"),
    (11, 10, 11, Some(3), 110, "bash"),
    (12, 11, 11, Some(3), 200, "claude"),
    (14, 10, 14, Some(4), 300, "bash"),
    (15, 14, 14, Some(4), 400, "court"),
];

fn desktop(more: &[Row]) -> Machine {
    let rows: Vec<Row> = DESKTOP.iter().chain(more).copied().collect();
    let machine = Machine::new(&rows);
    machine.holds(10, 3);
    machine.holds(10, 4);
    machine
}

#[test]
fn a_person_at_a_terminal_of_their_own_is_believed() {
    assert_eq!(desktop(&[]).doubt(15, Terminal::Needed), None);
    // A terminal that was opened after the client, by a desktop that was there before.
    let machine = desktop(&[
        (20, 2, 20, None, 50, "sway"),
        (2, 1, 2, None, 40, "login"),
        (21, 20, 20, None, 500, "foot"),
        (22, 21, 22, Some(9), 510, "zsh"),
        (23, 22, 22, Some(9), 520, "court"),
    ]);
    machine.holds(21, 9);
    assert_eq!(machine.doubt(23, Terminal::Needed), None);
    // A connection from another machine, and one whose processes cannot be read.
    machine.write(22, "environ", "SSH_CONNECTION=192.0.2.7 50000 192.0.2.1 22\0");
    assert_eq!(machine.doubt(23, Terminal::Needed), None);
    // A terminal that the system started anew, in a control group of its own.
    let machine =
        desktop(&[(30, 1, 30, Some(5), 900, "bash"), (31, 30, 30, Some(5), 910, "court")]);
    machine.write(30, "cgroup", "0::/user.slice/app-terminal.scope\n");
    assert_eq!(machine.doubt(31, Terminal::Needed), None);
}

#[test]
fn what_a_client_started_is_not_a_person() {
    let client = "`claude` (process 12)".to_owned();
    let below = |of| Some(Doubt::Below { of, client: client.clone() });
    // Its shell, without and with a terminal that it made itself.
    let machine = desktop(&[
        (40, 12, 40, None, 500, "bash"),
        (41, 40, 40, None, 510, "court"),
        (42, 40, 42, None, 520, "script"),
        (43, 42, 43, Some(6), 530, "sh"),
        (44, 43, 43, Some(6), 540, "court"),
    ]);
    machine.holds(42, 6);
    assert_eq!(machine.doubt(41, Terminal::Needed), below(Of::Program));
    assert_eq!(machine.doubt(41, Terminal::Any), below(Of::Program));
    assert_eq!(machine.doubt(44, Terminal::Needed), below(Of::Program));

    // The command's own parents are gone; who holds the terminal is not.
    let machine = desktop(&[
        (42, 12, 42, None, 520, "python3"),
        (43, 10, 43, Some(6), 530, "sh"),
        (44, 43, 43, Some(6), 540, "court"),
    ]);
    machine.holds(42, 6);
    assert_eq!(machine.doubt(44, Terminal::Needed), below(Of::Holder));

    // All of them were left to the system, and their variables were cleared.
    let machine = desktop(&[
        (42, 1, 42, None, 520, "script"),
        (43, 42, 43, Some(6), 530, "sh"),
        (44, 43, 43, Some(6), 540, "court"),
    ]);
    machine.holds(42, 6);
    let adopted = Doubt::Adopted { of: Of::Program, process: "`script` (process 42)".to_owned() };
    assert_eq!(machine.doubt(44, Terminal::Needed), Some(adopted));
    assert!(machine.doubt(44, Terminal::Any).is_some());

    // A mark in the variables of a process above is enough, whatever it is called.
    let machine = desktop(&[]);
    machine.write(14, "environ", "A=b\0CLAUDECODE=1\0");
    assert!(matches!(machine.doubt(15, Terminal::Any), Some(Doubt::Below { .. })));
    // So is the script of a client.
    let machine = desktop(&[]);
    machine.write(14, "cmdline", "node\0/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js\0");
    assert!(matches!(machine.doubt(15, Terminal::Any), Some(Doubt::Below { .. })));
}

#[test]
fn what_comes_without_a_person_is_told_apart() {
    let machine = desktop(&[
        (50, 1, 50, None, 5, "cron"),
        (51, 50, 51, None, 500, "sh"),
        (52, 51, 52, None, 510, "script"),
        (53, 52, 53, Some(7), 520, "court"),
    ]);
    machine.holds(52, 7);
    assert!(matches!(machine.doubt(53, Terminal::Needed), Some(Doubt::Scheduled(_))));

    let machine = desktop(&[]);
    machine.write(14, "environ", "SSH_CONNECTION=::1 50000 ::1 22\0");
    assert_eq!(machine.doubt(15, Terminal::Needed), Some(Doubt::OwnMachine));
    machine.write(14, "environ", "SSH_CONNECTION=192.0.2.1 50000 192.0.2.1 22\0");
    assert_eq!(machine.doubt(15, Terminal::Needed), Some(Doubt::OwnMachine));

    let machine = Machine::new(&[(1, 0, 1, None, 1, "init"), (5, 1, 5, None, 2, "court")]);
    assert_eq!(machine.doubt(5, Terminal::Needed), Some(Doubt::NoTerminal));
    assert_eq!(machine.doubt(5, Terminal::Any), None);
    assert_eq!(machine.doubt(6, Terminal::Any), Some(Doubt::Unseen));

    let look = Look { processes: Processes::under(desktop(&[]).folder.path()) };
    for (name, terminal) in [
        ("CLAUDECODE", Terminal::Any),
        ("CLAUDE_CODE_SESSION_ID", Terminal::Any),
        ("CODEX_THREAD_ID", Terminal::Any),
        ("CODEX_SANDBOX", Terminal::Any),
        ("OPENCODE", Terminal::Any),
        ("XC_AGENT", Terminal::Any),
        ("LD_PRELOAD", Terminal::Needed),
        ("LD_AUDIT", Terminal::Needed),
    ] {
        let environment = Environment::of([(name, "1")]);
        assert!(look.doubt(15, &environment, terminal).is_some(), "{name}");
    }
}
