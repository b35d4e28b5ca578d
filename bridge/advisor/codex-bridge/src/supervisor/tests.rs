//! The messages to a supervisor, over real sockets.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use super::*;

/// Longest wait for a message that must come.
const LIMIT: Duration = Duration::from_secs(10);

fn heard(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 256];
    socket.set_read_timeout(Some(LIMIT)).unwrap();
    let length = socket.recv(&mut buffer).unwrap();
    String::from_utf8(buffer[..length].to_vec()).unwrap()
}

fn supervisor(pairs: &[(&str, &str)]) -> Supervisor {
    Supervisor::new(&pairs.iter().copied().collect(), None)
}

fn address() -> Option<SocketAddr> {
    Some("127.0.0.1:4517".parse().unwrap())
}

#[test]
fn systemd_hears_ready_and_stopping_on_a_path() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let supervisor = supervisor(&[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    supervisor.ready(address());
    assert_eq!(heard(&socket), "READY=1\nSTATUS=listening on http://127.0.0.1:4517");
    supervisor.stopping();
    assert_eq!(heard(&socket), "STOPPING=1\nSTATUS=runs in flight may finish");
}

#[test]
fn systemd_hears_us_on_an_abstract_name() {
    let name = format!("codex-bridge-test-{}", std::process::id());
    let address = UnixAddr::from_abstract_name(&name).unwrap();
    let socket = UnixDatagram::bind_addr(&address).unwrap();
    supervisor(&[("NOTIFY_SOCKET", &format!("@{name}"))]).ready(None);
    assert_eq!(heard(&socket), "READY=1\nSTATUS=listening");
}

#[test]
fn nobody_there_is_no_failure() {
    for name in ["/nonexistent/notify", "@nobody-listens-here", "vsock:2:1", "relative"] {
        let supervisor = supervisor(&[("NOTIFY_SOCKET", name), ("WATCHDOG_USEC", "1000")]);
        supervisor.ready(address());
        supervisor.stopping();
    }
    supervisor(&[]).ready(address());
}

#[test]
fn the_watchdog_is_ours_or_nobodys() {
    let ours = std::process::id().to_string();
    let of = |pairs: &[(&str, &str)]| watchdog(&pairs.iter().copied().collect());
    let limit = ("WATCHDOG_USEC", "10000000");
    assert_eq!(of(&[limit]), Some(Duration::from_secs(10)));
    assert_eq!(of(&[limit, ("WATCHDOG_PID", &ours)]), Some(Duration::from_secs(10)));
    assert_eq!(of(&[limit, ("WATCHDOG_PID", "1")]), None);
    assert_eq!(of(&[limit, ("WATCHDOG_PID", "me")]), None);
    assert_eq!(of(&[("WATCHDOG_USEC", "0")]), None);
    assert_eq!(of(&[("WATCHDOG_USEC", "soon")]), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_watchdog_hears_us_only_while_the_check_passes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let supervisor =
        supervisor(&[("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "20000")]);
    let stop = CancellationToken::new();
    let asked = AtomicU32::new(0);
    // Alive twice, then a check that fails, one that hangs, and the end.
    let alive = async || match asked.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => true,
        2 => false,
        3 => std::future::pending().await,
        _ => {
            stop.cancel();
            false
        }
    };
    tokio::time::timeout(LIMIT, supervisor.watch(alive, stop.clone())).await.unwrap();
    assert_eq!(heard(&socket), "WATCHDOG=1");
    assert_eq!(heard(&socket), "WATCHDOG=1");
    socket.set_nonblocking(true).unwrap();
    assert!(socket.recv(&mut [0; 16]).is_err(), "a third sign of life");
}

#[tokio::test]
async fn without_a_watchdog_there_is_nothing_to_watch() {
    supervisor(&[]).watch(async || unreachable!(), CancellationToken::new()).await;
}
