//! The process of a daemon's address, recorded in a file beside the address. A daemon
//! that was killed leaves its address behind, and another program may listen there next; the process file
//! tells a stale address from a current one.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file within the state folder.
pub const FILE_NAME: &str = "address.process";

/// The kernel's id of the current boot.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Identity of a process, which no later process can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonProcess {
    /// Its process id.
    pub pid: u32,
    /// Its start time, in clock ticks since the boot (proc_pid_stat(5), field 22).
    started: u64,
    /// The boot of the machine.
    boot: String,
    /// The PID namespace of the process id (pid_namespaces(7)).
    namespace: String,
}

/// Whether the process still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It runs.
    Alive,
    /// It has ended, or the machine was rebooted.
    Ended,
    /// It is not visible: it runs in another container, or `/proc` is restricted.
    Unknown,
}

/// The path of the process file.
#[must_use]
pub fn file(state_dir: &Path) -> PathBuf {
    state_dir.join(FILE_NAME)
}

impl DaemonProcess {
    /// This process; `None` if `/proc` is restricted.
    #[must_use]
    pub fn of_self() -> Option<Self> {
        let pid = std::process::id();
        Some(Self { pid, started: started(pid).ok()?, boot: boot()?, namespace: namespace()? })
    }

    /// Reads the process file beside an address file; `None` unless it is for this address.
    #[must_use]
    pub fn read(state_dir: &Path, address: &str) -> Option<Self> {
        let text = fs::read_to_string(file(state_dir)).ok()?;
        let mut lines = text.lines();
        let noted = lines.next()?;
        let mut value = |name: &str| lines.next()?.strip_prefix(name).map(str::to_owned);
        let process = Self {
            pid: value("pid ")?.parse().ok()?,
            started: value("started ")?.parse().ok()?,
            boot: value("boot ")?,
            namespace: value("namespace ")?,
        };
        (noted == address).then_some(process)
    }

    /// Content of the process file for an address.
    #[must_use]
    pub fn note(&self, address: &str) -> String {
        let Self { pid, started, boot, namespace } = self;
        format!("{address}\npid {pid}\nstarted {started}\nboot {boot}\nnamespace {namespace}\n")
    }

    /// Checks whether the process runs.
    #[must_use]
    pub fn liveness(&self) -> Liveness {
        match (boot(), namespace()) {
            (Some(boot), _) if boot != self.boot => Liveness::Ended,
            (Some(_), Some(namespace)) if namespace == self.namespace => match started(self.pid) {
                Ok(since) if since == self.started => Liveness::Alive,
                Ok(_) => Liveness::Ended,
                Err(liveness) => liveness,
            },
            _ => Liveness::Unknown,
        }
    }
}

impl fmt::Display for DaemonProcess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "process {}", self.pid)
    }
}

fn boot() -> Option<String> {
    fs::read_to_string(BOOT_ID).ok().map(|text| text.trim().to_owned())
}

fn namespace() -> Option<String> {
    fs::read_link("/proc/self/ns/pid").ok().map(|link| link.to_string_lossy().into_owned())
}

/// Start time of a running process; otherwise whether it has ended or is not visible.
fn started(pid: u32) -> Result<u64, Liveness> {
    let stat = match fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat,
        // That our own folder exists shows that processes are visible.
        Err(_) if Path::new("/proc/self/stat").exists() => return Err(Liveness::Ended),
        Err(_) => return Err(Liveness::Unknown),
    };
    let (state, since) = state_and_start(&stat).ok_or(Liveness::Unknown)?;
    if matches!(state, "Z" | "X") { Err(Liveness::Ended) } else { Ok(since) }
}

/// The state and the start time in the text of `/proc/PID/stat`. The second field, the name, may contain
/// any character.
fn state_and_start(stat: &[u8]) -> Option<(&str, u64)> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = std::str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_more_than_its_number() {
        let own = DaemonProcess::of_self().unwrap();
        assert_eq!(own.liveness(), Liveness::Alive);
        let check = |changed: DaemonProcess, expected| {
            assert_eq!(changed.liveness(), expected, "{changed:?}");
        };
        check(DaemonProcess { started: own.started + 1, ..own.clone() }, Liveness::Ended);
        check(DaemonProcess { pid: 0, ..own.clone() }, Liveness::Ended);
        check(DaemonProcess { boot: "another".to_owned(), ..own.clone() }, Liveness::Ended);
        let elsewhere = DaemonProcess { namespace: "pid:[1]".to_owned(), ..own.clone() };
        check(elsewhere, Liveness::Unknown);
    }

    #[test]
    fn a_note_is_read_back_for_its_own_address_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let own = DaemonProcess::of_self().unwrap();
        fs::write(file(folder.path()), own.note("http://127.0.0.1:1")).unwrap();
        assert_eq!(DaemonProcess::read(folder.path(), "http://127.0.0.1:1"), Some(own));
        assert_eq!(DaemonProcess::read(folder.path(), "http://127.0.0.1:2"), None);
        fs::write(file(folder.path()), "http://127.0.0.1:1\npid x\n").unwrap();
        assert_eq!(DaemonProcess::read(folder.path(), "http://127.0.0.1:1"), None);
    }
}
