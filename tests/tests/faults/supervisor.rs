//! A service manager that watches the daemon.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use rustix::process::Signal;
use tests::harness::wait_until_some;

use crate::fixture::{LIMIT, fake, healthy};

/// How long the manager waits for a sign of life.
const WATCHDOG: Duration = Duration::from_secs(1);

/// The next message of the daemon's, if one comes in time.
async fn message(socket: &UnixDatagram, limit: Duration) -> Option<String> {
    wait_until_some(limit, async || {
        let mut buffer = [0; 1024];
        let length = socket.recv(&mut buffer).ok()?;
        Some(String::from_utf8_lossy(&buffer[..length]).into_owned())
    })
    .await
}

/// Row 34: what systemd acts on is the silence of a daemon that is stuck.
#[tokio::test]
async fn a_stuck_daemon_gives_no_sign_of_life() {
    let builder = fake();
    let path = builder.folder().work().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    let mut daemon = builder
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string())
        .start()
        .await
        .unwrap();
    let ready = message(&socket, LIMIT).await.unwrap();
    let address = daemon.client().address();
    assert_eq!(ready, format!("READY=1\nSTATUS=listening on http://{address}"));
    for _ in 0..3 {
        assert_eq!(message(&socket, WATCHDOG).await.as_deref(), Some("WATCHDOG=1"));
    }

    daemon.signal(Signal::STOP).unwrap();
    // What was sent before the stop.
    while message(&socket, Duration::ZERO).await.is_some() {}
    assert_eq!(message(&socket, 2 * WATCHDOG).await, None);

    daemon.signal(Signal::CONT).unwrap();
    assert_eq!(message(&socket, LIMIT).await.as_deref(), Some("WATCHDOG=1"));
    healthy(&daemon).await;
    daemon.signal(Signal::TERM).unwrap();
    let stopping = wait_until_some(LIMIT, async || {
        message(&socket, LIMIT).await.filter(|text| text.starts_with("STOPPING=1"))
    });
    assert!(stopping.await.is_some());
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
}

/// Row 34: a manager that is gone, or does not read, holds nobody up.
#[tokio::test]
async fn a_manager_that_does_not_read_changes_nothing() {
    let builder = fake();
    let path = builder.folder().work().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut daemon =
        builder.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "2000").start().await.unwrap();
    // A message each millisecond fills the socket's queue at once.
    let full =
        wait_until_some(LIMIT, async || daemon.log().contains("cannot be notified").then_some(()));
    full.await.expect("the queue is full");
    healthy(&daemon).await;
    drop(socket);
    healthy(&daemon).await;
    daemon.signal(Signal::TERM).unwrap();
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
}
