//! Finds surviving processes of a test by their mark, in Linux's process table.

use std::fs;
use std::path::Path;

/// A process with the mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Its id.
    pub pid: u32,
    /// Its command line, with spaces between the arguments.
    pub command: String,
}

/// Every live process except this one that has the mark in its environment or command line. Zombies do not
/// count: their parent must reap them.
#[must_use]
pub fn survivors(mark: &str) -> Vec<Survivor> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&pid| pid != own)
        .filter_map(|pid| marked(pid, mark.as_bytes()))
        .collect()
}

fn marked(pid: u32, mark: &[u8]) -> Option<Survivor> {
    let folder = Path::new("/proc").join(pid.to_string());
    let command = fs::read(folder.join("cmdline")).ok()?;
    let environment = fs::read(folder.join("environ")).unwrap_or_default();
    let bears = |text: &[u8]| text.windows(mark.len()).any(|part| part == mark);
    if !bears(&environment) && !bears(&command) {
        return None;
    }
    is_alive(pid).then(|| {
        let words = String::from_utf8_lossy(&command).replace('\0', " ");
        Survivor { pid, command: words.trim_end().to_owned() }
    })
}

/// Whether the process exists and is not a zombie.
fn is_alive(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
}
