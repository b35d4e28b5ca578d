//! Checks of this machine: the clock, file descriptors, a supervisor that restarts the daemon.

use std::path::Path;

use jiff::Timestamp;
use rustix::process::{Resource, getrlimit};

use super::Finding;
use crate::config::environment::PATH;
use crate::config::{Config, Environment};

/// 2026-01-01T00:00:00Z, in seconds. An earlier clock is wrong, because this program is newer.
const EARLIEST_SECONDS: i64 = 1_767_225_600;

/// Below this the daemon runs out of descriptors with its first callers.
const DESCRIPTORS_LEAST: u64 = 256;

/// Below this it serves fewer concurrent callers than it could.
const DESCRIPTORS_WANTED: u64 = 4096;

/// Minimum difference between a supervisor's stop timeout and the drain, in milliseconds: responses are sent and
/// processes are ended after the drain.
const AFTER_DRAIN_MS: u128 = 4_000;

pub(super) fn examine() -> Vec<Finding> {
    vec![clock(Timestamp::now()), descriptors(getrlimit(Resource::Nofile).maximum)]
}

fn clock(now: Timestamp) -> Finding {
    let shown = format!("{now:.0}");
    if now.as_second() < EARLIEST_SECONDS {
        let message = format!("it is {shown}, which cannot be");
        Finding::fail("clock", message, "set the clock: with a wrong one, TLS and expiry fail")
    } else {
        Finding::ok("clock", shown)
    }
}

/// Checks the hard limit; the daemon raises its own soft limit.
fn descriptors(hard: Option<u64>) -> Finding {
    let mend = "raise it with `ulimit -Hn`, LimitNOFILE= or limits.conf";
    match hard {
        Some(hard) if hard < DESCRIPTORS_LEAST => {
            Finding::fail("descriptors", format!("only {hard} open files are allowed"), mend)
        }
        Some(hard) if hard < DESCRIPTORS_WANTED => {
            let message = format!("{hard} open files are allowed: fewer callers fit at once");
            Finding::warn("descriptors", message, mend)
        }
        Some(hard) => Finding::ok("descriptors", format!("{hard} open files are allowed")),
        None => Finding::ok("descriptors", "any number of open files is allowed"),
    }
}

/// The supervisor that could restart the daemon, and the setting of it that must match ours.
pub(super) fn supervision(config: &Config, environment: &Environment) -> Option<Finding> {
    let patience_ms = config.limits.drain.as_millis() + AFTER_DRAIN_MS;
    let on_path = |program: &str| {
        let search = environment.get(PATH).unwrap_or_default();
        std::env::split_paths(search).any(|folder| folder.join(program).is_file())
    };
    let message = if Path::new("/run/systemd/system").is_dir() {
        format!(
            "systemd can run the daemon: Type=notify, TimeoutStopSec={} or more",
            patience_ms.div_ceil(1000)
        )
    } else if on_path("pm2") {
        format!(
            "pm2 can run the daemon: wait_ready: true, treekill: false, kill_timeout: {patience_ms} or more"
        )
    } else {
        return None;
    };
    Some(Finding::ok("supervision", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn a_clock_before_this_program_is_wrong() {
        assert_eq!(clock(Timestamp::UNIX_EPOCH).level, Level::Fail);
        assert_eq!(clock(Timestamp::from_second(EARLIEST_SECONDS).unwrap()).level, Level::Ok);
    }

    #[test]
    fn few_descriptors_are_told() {
        let level = |hard| descriptors(hard).level;
        assert_eq!(level(Some(64)), Level::Fail);
        assert_eq!(level(Some(1024)), Level::Warn);
        assert_eq!(level(Some(1 << 20)), Level::Ok);
        assert_eq!(level(None), Level::Ok);
    }
}
