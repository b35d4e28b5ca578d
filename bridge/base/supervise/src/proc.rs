//! Reads the list of processes and their relations from `/proc`.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The folder of every visible process.
pub(crate) fn all() -> impl Iterator<Item = (Pid, PathBuf)> {
    fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let entry = entry.ok()?;
        let number = entry.file_name().to_str()?.parse().ok().filter(|number| *number > 0)?;
        Some((Pid::from_raw(number)?, entry.path()))
    })
}

/// Kills the process `pid` if `still` returns true. It cannot hit another process: a pidfd
/// is opened before `still` is called.
pub(crate) fn kill_if(pid: Pid, still: impl FnOnce() -> bool) -> bool {
    let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    still() && pidfd_send_signal(&pinned, Signal::KILL).is_ok()
}

/// Kills every descendant of `root` found by one scan.
pub(crate) fn kill_below(root: Pid) {
    let parents: Vec<(Pid, Pid)> =
        all().filter_map(|(pid, path)| Some((pid, parent(&path)?))).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent_pid) = found.get(next).copied() {
        next += 1;
        found
            .extend(parents.iter().filter(|(_, parent)| *parent == parent_pid).map(|(pid, _)| pid));
    }
    for pid in &found[1..] {
        let before = parents.iter().find(|(each, _)| each == pid).map(|(_, parent)| *parent);
        let path = PathBuf::from(format!("/proc/{pid}"));
        kill_if(*pid, || parent(&path).is_some_and(|now| Some(now) == before || now == root));
    }
}

/// The parent of the process with this folder.
fn parent(process: &Path) -> Option<Pid> {
    let stat = fs::read(process.join("stat")).ok()?;
    parent_in(&stat)
}

/// The parent in the text of `/proc/PID/stat`. The second field, the name, may contain any character.
fn parent_in(stat: &[u8]) -> Option<Pid> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(&stat[after_name..]).ok()?;
    let number = text.split_ascii_whitespace().nth(1)?.parse().ok().filter(|number| *number > 0)?;
    Pid::from_raw(number)
}

/// The first child of a process, if the kernel reports it (`CONFIG_PROC_CHILDREN`).
pub(crate) fn first_child(pid: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_a_hostile_name() {
        let parent = |text: &str| parent_in(text.as_bytes()).map(Pid::as_raw_pid);
        assert_eq!(parent("12 (codex) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12 (a) R 99 (b) S 7 12"), Some(7));
        assert_eq!(parent("1 (init) S 0 1 1"), None);
        assert_eq!(parent("12 (codex"), None);
        assert_eq!(parent(""), None);
    }
}
