//! Finds leftover processes of a crashed daemon's runs by the mark in their environment, and kills them.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::process::Pid;

use crate::proc;

/// Time limit of one sweep.
const LIMIT: Duration = Duration::from_secs(2);
/// Pause between two scans, while the kernel removes killed processes.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Kills every process of our user whose environment has `variable` with one of `values`, each of which is
/// unique to a run; returns their number. Blocks for at most two seconds, usually a few milliseconds.
///
/// For the start of a daemon whose predecessor was killed, and after a guard was killed.
#[must_use]
pub fn sweep(variable: &str, values: &[String]) -> usize {
    let wanted: Vec<Vec<u8>> =
        values.iter().map(|value| format!("{variable}={value}").into_bytes()).collect();
    if wanted.is_empty() {
        return 0;
    }
    let begun = Instant::now();
    let mut found = HashSet::new();
    loop {
        let left = kill_marked(&wanted);
        if left.is_empty() || begun.elapsed() > LIMIT {
            return found.len();
        }
        found.extend(left);
        // A pause: no descriptor is waited for.
        let _ = rustix::event::poll(&mut [], Some(&PAUSE));
    }
}

/// Kills the processes that carry a wanted mark now, and returns them.
fn kill_marked(wanted: &[Vec<u8>]) -> Vec<Pid> {
    let (myself, user) = (rustix::process::getpid(), rustix::process::geteuid().as_raw());
    proc::all()
        .filter(|(pid, process)| {
            *pid != myself
                && fs::metadata(process).is_ok_and(|process| process.uid() == user)
                && is_marked(process, wanted)
        })
        .filter(|(pid, process)| proc::kill_if(*pid, || is_marked(process, wanted)))
        .map(|(pid, _)| pid)
        .collect()
}

/// Whether a process's environment has a wanted mark. A zombie's is empty.
fn is_marked(process: &Path, wanted: &[Vec<u8>]) -> bool {
    fs::read(process.join("environ")).is_ok_and(|environ| {
        environ.split(|byte| *byte == 0).any(|entry| wanted.iter().any(|each| each == entry))
    })
}
