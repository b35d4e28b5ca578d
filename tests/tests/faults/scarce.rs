//! The system has no free file descriptors or processes.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;
use std::time::Duration;

use tests::harness::{Client, Daemon, DaemonBuilder, wait_until_some};

use crate::fixture::{LIMIT, ask, fake, healthy, question, works};

const DEADLINE: Duration = Duration::from_secs(20);

/// A user that nobody is, so that its processes can be counted.
const NOBODY: u32 = 54_321;

/// Sets a soft limit of the daemon's, as its own user: root itself may not, in most containers.
fn limit(daemon: &Daemon, option: &str, soft: u64) {
    let (pid, limit) = (daemon.pid().to_string(), format!("--{option}={soft}:"));
    let set = ["prlimit", "--pid", &pid, &limit];
    let user = fs::metadata(format!("/proc/{pid}")).unwrap().uid().to_string();
    let is_ours = user == rustix::process::geteuid().as_raw().to_string();
    let becomes = if is_ours { Vec::new() } else { as_user(&user) };
    assert!(works(&[&becomes[..], &set].concat()), "{set:?}");
}

/// The soft limit with this name in `/proc/PID/limits`.
fn soft_limit(daemon: &Daemon, name: &str) -> u64 {
    let limits = fs::read_to_string(format!("/proc/{}/limits", daemon.pid())).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_ascii_whitespace().next().unwrap().parse().unwrap_or(1 << 20)
}

fn as_user(user: &str) -> Vec<&str> {
    vec!["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
}

fn open_files(daemon: &Daemon) -> u64 {
    fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap().count() as u64
}

/// Row 24: callers take every descriptor, and their connections are cut for their silence.
#[tokio::test]
async fn a_daemon_without_descriptors_recovers() {
    let daemon = fake().start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let before = soft_limit(&daemon, "Max open files");
    limit(&daemon, "nofile", open_files(&daemon) + 10);
    let address = daemon.client().address().to_owned();
    let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(&address).unwrap()).collect();
    // Without a connection of its own from before.
    let late = Client::new(&address, daemon.client().token()).unwrap();
    let answered = wait_until_some(LIMIT, async || late.get("/healthz").await.ok());
    assert_eq!(answered.await.unwrap().status, 200);
    assert!(daemon.log().contains("cannot accept connections"), "{}", daemon.log());
    drop(idle);
    limit(&daemon, "nofile", before);
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
}

/// Row 24: there is a descriptor for the caller and none for Codex.
#[tokio::test]
async fn a_lack_of_descriptors_for_codex_is_told_and_passes() {
    let daemon = fake().start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let before = soft_limit(&daemon, "Max open files");
    // One more than are open: the caller's connection may be among those already.
    limit(&daemon, "nofile", open_files(&daemon) + 1);
    let asked = daemon.client().analyze(&question("ok", DEADLINE)).await.unwrap();
    assert_eq!(asked.status, 503, "{asked:?}");
    assert_eq!(asked.code().unwrap().as_str(), "spawn_failed", "{asked:?}");
    let attempts = asked.body["meta"]["attempts"].as_u64().unwrap();
    assert!(attempts <= 2, "{attempts}");
    limit(&daemon, "nofile", before);
    healthy(&daemon).await;
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
}

/// A daemon of a user that limits count for: root is exempt from this one.
fn ordinary() -> Option<DaemonBuilder> {
    let builder = fake();
    if !rustix::process::geteuid().is_root() {
        return Some(builder);
    }
    let user = NOBODY.to_string();
    let becomes = as_user(&user);
    let reads =
        |path: &Path| works(&[&becomes[..], &["test", "-x", path.to_str().unwrap()]].concat());
    let reachable = reads(crate::fixture::fake_codex()) && reads(builder.folder().root().parent()?);
    if !reachable {
        skipping::impossible(
            "root is exempt from RLIMIT_NPROC, and no other user can run what was built",
        );
        return None;
    }
    let root = builder.folder().root().to_owned();
    for path in ["", "state", "temp", "home", "work"].map(|name| root.join(name)) {
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    Some(builder.through(becomes))
}

/// Row 26.
#[tokio::test]
async fn a_lack_of_processes_is_told_and_passes() {
    let Some(builder) = ordinary() else { return };
    let daemon = builder.start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let before = soft_limit(&daemon, "Max processes");
    // Fewer than there are: nothing new may start.
    limit(&daemon, "nproc", 1);
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    assert_eq!(asked.answer.code().unwrap().as_str(), "spawn_failed", "{asked:?}");
    let attempts = asked.answer.body["meta"]["attempts"].as_u64().unwrap();
    assert!(attempts <= 2, "{attempts}");
    let tries = daemon.log().matches("no resources left").count();
    assert!(tries <= 3, "a storm of {tries} tries: {}", daemon.log());
    limit(&daemon, "nproc", before);
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
}
