//! Reads a process's parent, environment and working folder from `/proc`. Starts no process.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::Environment;

/// From now on, no other process of this user can read this one's memory or environment, and no core is
/// written. Root still can. Programs that this process executes are not protected.
pub fn stay_unread() {
    // If the kernel refuses, the process is as protected as any other.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// A process, as reported by the kernel.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its environment at its start; absent if it is not readable or does not exist.
    pub environment: Option<Environment>,
    /// Its working folder, if readable.
    pub folder: Option<PathBuf>,
    /// Its parent; 0 if none.
    pub parent: u32,
}

impl Process {
    /// The process with this id; `None` if it has ended or is hidden.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        if pid == 0 {
            return None;
        }
        let folder = Path::new("/proc").join(pid.to_string());
        // After the name in parentheses, which may contain any character: state and parent.
        let stat = fs::read(folder.join("stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        let environ = fs::read(folder.join("environ")).unwrap_or_default();
        let mut pairs = environ.split(|byte| *byte == 0).filter_map(pair).peekable();
        let environment = pairs.peek().is_some().then(|| pairs.collect());
        Some(Self { environment, folder: fs::read_link(folder.join("cwd")).ok(), parent })
    }
}

fn pair(entry: &[u8]) -> Option<(OsString, OsString)> {
    let middle = entry.iter().position(|byte| *byte == b'=')?;
    let part = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((part(&entry[..middle]), part(&entry[middle + 1..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_this_process() {
        let own = Process::of(std::process::id()).unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert_eq!(own.folder, std::env::current_dir().ok());
        assert!(own.environment.unwrap().is_set("PATH"));
        assert!(Process::of(0).is_none());
    }
}
