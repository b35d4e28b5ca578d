//! Reads processes from `/proc`: parents, environment, control groups. Unreadable
//! data is unknown. Not here: conclusions.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Maximum length of a chain of parents.
const DEPTH_MAX: usize = 128;
/// Maximum size of a process's environment that is read, in bytes.
const VARIABLES_MAX: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// The session leader's process id.
    pub(super) session: u32,
    /// The device of its controlling terminal; 0 without one.
    pub(super) terminal: u32,
    /// Its start time, in ticks since boot.
    pub(super) began: u64,
    /// Its short name.
    pub(super) name: String,
}

/// The processes of one machine.
#[derive(Debug, Clone)]
pub(super) struct Processes {
    folder: PathBuf,
}

impl Processes {
    /// Processes below a folder like `/proc`.
    pub(super) fn under(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    /// A process; `None` if it has ended or is hidden.
    pub(super) fn get(&self, pid: u32) -> Option<Process> {
        let text = fs::read(self.of(pid).join("stat")).ok()?;
        parse(&String::from_utf8_lossy(&text))
    }

    /// A process and its ancestors, up to one without a visible parent.
    pub(super) fn chain(&self, pid: u32) -> Vec<Process> {
        let mut chain: Vec<Process> = Vec::new();
        let mut next = pid;
        while chain.len() < DEPTH_MAX
            && let Some(process) = self.get(next)
            && chain.iter().all(|seen| seen.pid != process.pid)
        {
            next = process.parent;
            chain.push(process);
        }
        chain
    }

    /// The ids of all processes.
    pub(super) fn all(&self) -> Vec<u32> {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    /// A process's initial environment; `None` if it is not readable.
    pub(super) fn variables(&self, pid: u32) -> Option<Vec<(String, String)>> {
        let mut bytes = fs::read(self.of(pid).join("environ")).ok()?;
        bytes.truncate(VARIABLES_MAX);
        let pairs = bytes.split(|byte| *byte == 0).filter_map(|pair| {
            let text = String::from_utf8_lossy(pair);
            let (name, value) = text.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Some(pairs.collect())
    }

    /// The first words of its command line.
    pub(super) fn words(&self, pid: u32) -> Vec<String> {
        let bytes = fs::read(self.of(pid).join("cmdline")).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0).take(3);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    /// Its control groups, in the kernel's format.
    pub(super) fn groups(&self, pid: u32) -> String {
        fs::read_to_string(self.of(pid).join("cgroup")).unwrap_or_default()
    }

    /// Whether a process holds the other end of the pseudo-terminal with this number.
    pub(super) fn holds_terminal(&self, pid: u32, number: u32) -> bool {
        let folder = self.of(pid);
        let open = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
        let masters = open.filter(|entry| {
            let target = fs::read_link(entry.path()).unwrap_or_default();
            target.as_os_str().as_bytes().ends_with(b"/ptmx")
        });
        let mut numbers = masters.filter_map(|entry| {
            let text = fs::read_to_string(folder.join("fdinfo").join(entry.file_name())).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix("tty-index:"))?;
            line.trim().parse::<u32>().ok()
        });
        numbers.any(|found| found == number)
    }

    fn of(&self, pid: u32) -> PathBuf {
        self.folder.join(pid.to_string())
    }
}

/// Parses `/proc/PID/stat`. The name is in parentheses and may contain any character, parentheses too.
fn parse(text: &str) -> Option<Process> {
    let (head, rest) = text.rsplit_once(')')?;
    let (pid, name) = head.split_once('(')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // `proc_pid_stat(5)` counts from 1; the state, the first of these fields, is number 3.
    let field = |number: usize| fields.get(number - 3).copied();
    Some(Process {
        pid: pid.trim().parse().ok()?,
        parent: field(4)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        terminal: field(7)?.parse::<i32>().ok()?.cast_unsigned(),
        began: field(22)?.parse().ok()?,
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Processes, parse};

    #[test]
    fn a_name_cannot_stand_for_other_fields() {
        let text = "77 (x) S 1 1 1 (y) S 5 77 60 34816 77 4194304 1 2 3 4 5 6 7 8 20 0 1 0 900 1 2";
        let process = parse(text).unwrap();
        assert_eq!((process.pid, process.parent, process.session), (77, 5, 60));
        assert_eq!((process.terminal, process.began), (34816, 900));
        assert_eq!(process.name, "x) S 1 1 1 (y");
        assert!(parse("").is_none() && parse("1 (x) S 1").is_none());
    }

    #[test]
    fn this_process_and_its_parents_are_seen() {
        let processes = Processes::under(Path::new("/proc"));
        let chain = processes.chain(std::process::id());
        assert!(chain.len() > 1, "{chain:?}");
        assert!(chain.windows(2).all(|pair| pair[0].parent == pair[1].pid));
        assert!(processes.all().contains(&std::process::id()));
        assert!(processes.variables(std::process::id()).is_some_and(|found| !found.is_empty()));
    }
}
