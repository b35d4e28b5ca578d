//! Describes the machine of the measurement, and reads Linux's counters for a process.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use tests::harness::StateDir;

use super::samples::Samples;

/// Ticks of `utime` and `stime` in /proc/PID/stat: Linux shows 100 a second on every common
/// architecture (USER_HZ).
const TICK: Duration = Duration::from_millis(10);

/// The number of fields of /proc/PID/stat between the process's name and `utime`.
const BEFORE_UTIME: usize = 11;

/// Lines that describe the machine, its load and the build.
pub(crate) fn describe() -> anyhow::Result<Vec<String>> {
    let cores = std::thread::available_parallelism()?;
    let cpu = fs::read_to_string("/proc/cpuinfo")?;
    let model = value(&cpu, "model name").unwrap_or("unknown");
    let memory = fs::read_to_string("/proc/meminfo")?;
    let memory_gb = kilobytes(&memory, "MemTotal").context("no MemTotal")? / 1e6;
    let system = rustix::system::uname();
    let kernel = system.release().to_string_lossy();
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    Ok(vec![
        format!("Machine: {cores} cores of {model}, {memory_gb:.1} GB, Linux {kernel}"),
        format!("Disk: write and sync 4 kB: {}", sync_times()?),
        format!("Load before: {}", load()?),
        format!("Build: {profile} profile"),
    ])
}

/// The load averages.
pub(crate) fn load() -> io::Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

/// Raises this process's limit of open files for a thousand connections.
pub(crate) fn claim_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // If the system refuses, the connections fail later, with an error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The time of a sync, which every accepted run waits for.
fn sync_times() -> io::Result<Samples> {
    let folder = StateDir::new()?;
    let mut file = File::create(folder.work().join("sync"))?;
    let mut once = || {
        let begun = Instant::now();
        file.write_all(&[0; 4096]).and_then(|()| file.sync_data()).map(|()| begun.elapsed())
    };
    let times: io::Result<Vec<Duration>> = (0..50).map(|_| once()).collect();
    times.map(Samples::of)
}

/// The processor time of the process, without its children.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name before may contain any character.
    let (_, fields) = stat.rsplit_once(") ").context("no name in stat")?;
    let mut ticks = fields.split(' ').skip(BEFORE_UTIME).map(str::parse::<u32>);
    let (user, system) = (ticks.next().context("no utime")??, ticks.next().context("no stime")??);
    Ok(TICK * (user + system))
}

/// Resident memory in MB (10^6 bytes): `Rss`, or `Pss` with shared pages divided among their users.
pub(crate) fn resident_mb(pid: u32, field: &str) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    Ok(kilobytes(&text, field).with_context(|| format!("no {field}"))? * 1.024 / 1e3)
}

/// The peak resident memory in MB.
pub(crate) fn peak_mb(pid: u32) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(kilobytes(&text, "VmHWM").context("no VmHWM")? * 1.024 / 1e3)
}

fn kilobytes(text: &str, name: &str) -> Option<f64> {
    value(text, name)?.strip_suffix(" kB")?.trim().parse().ok()
}

fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(each, _)| each.trim() == name).map(|(_, value)| value.trim())
}
