//! Cleans up the guard's inherited state before it starts anything: foreign descriptors, blocked signals,
//! unlimited resources.

use std::io;

use nix::sys::signal::SigSet;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit};

use crate::limits::Limits;

/// Increase of a run's OOM score over the daemon's (0 to 1000).
const OOM_SCORE: &str = "500";

/// Applies all of it to this process; its children inherit it.
pub(super) fn apply(limits: Limits) -> io::Result<()> {
    close_inherited()?;
    SigSet::empty().thread_set_mask()?;
    let Limits { address_space, file_bytes, open_files, core_bytes } = limits;
    limit(Resource::Core, core_bytes)?;
    limit(Resource::Nofile, open_files)?;
    limit(Resource::Fsize, file_bytes)?;
    limit(Resource::As, address_space)?;
    // Best effort: a hardened unit may have /proc read-only.
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    Ok(())
}

/// Closes every descriptor above stderr.
///
/// The daemon's own are close-on-exec, but it passes on inherited ones: pm2 leaves its channel
/// on descriptor 3, and Node children abort if something else is there.
pub(crate) fn close_inherited() -> io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The descriptor of the listing itself is already closed.
        let _ = nix::unistd::close(descriptor);
    }
    Ok(())
}

/// Lowers a limit to `value`, if given; a lower limit is kept.
fn limit(resource: Resource, value: Option<u64>) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let old = rustix::process::getrlimit(resource);
    let value = old.maximum.map_or(value, |maximum| maximum.min(value));
    let new = Rlimit { current: Some(value), maximum: Some(value) };
    Ok(rustix::process::setrlimit(resource, new)?)
}

/// Redirects this process's own stdout and stderr to /dev/null, so that the daemon sees EOF when the
/// program and its descendants have closed theirs.
pub(super) fn release_output() -> io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(rustix::stdio::dup2_stderr(&null)?)
}

/// Redirects stdin to /dev/null, so that only one process holds the control channel.
pub(super) fn release_control() -> io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    Ok(rustix::stdio::dup2_stdin(&null)?)
}
