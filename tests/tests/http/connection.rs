//! The listener with routes of the test's own: timeouts, limits, recovery and shutdown.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use codex_bridge::http::{BindError, ConnectionLimits, Listener, serve};
use codex_bridge::metrics::Metrics;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tests::harness::wait_until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::wire::{LIMIT, Wire, ask};

const PING: &str = "GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n";
const SLOW: &str = "GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Two seconds to send a head; two more for a busy machine.
const HEAD_BOUND: Duration = Duration::from_secs(4);

/// When Linux sends a connection's first packet once more (RFC 6298).
const RETRY: Duration = Duration::from_secs(1);

/// A live server; ends with the test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    metrics: Arc<Metrics>,
    /// Lets the requests to `/slow` end.
    finish: Arc<Notify>,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(max: usize) -> Self {
        let finish = Arc::new(Notify::new());
        let released = Arc::clone(&finish);
        let router = Router::new().route("/ping", get(async || "pong")).route(
            "/slow",
            get(async move || {
                released.notified().await;
                "done"
            }),
        );
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let (metrics, shutdown) = (Arc::new(Metrics::new()), CancellationToken::new());
        let limits = ConnectionLimits::new(max);
        let task = tokio::spawn(serve(
            vec![listener],
            router,
            Arc::clone(&metrics),
            limits,
            shutdown.clone(),
        ));
        Self { address, metrics, finish, shutdown, task }
    }

    async fn wait_for_connections(&self, count: usize) {
        let line = format!("codex_bridge_connections {count}\n");
        let found = wait_until(LIMIT, || self.metrics.render().contains(&line)).await;
        assert!(found, "never {line:?}");
    }
}

async fn ping(address: SocketAddr) {
    let answer = ask(address, PING).await.expect("an answer");
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"pong".as_slice()));
}

#[tokio::test]
async fn a_slow_head_a_silent_peer_and_an_idle_one_are_cut() {
    let server = Server::start(16).await;
    let mut silent = Wire::connect(server.address).await;
    let mut half = Wire::connect(server.address).await;
    half.send("GET /ping HTTP/1.1\r\nhost: loc").await.unwrap();
    let mut idle = Wire::connect(server.address).await;
    idle.send(PING).await.unwrap();
    assert_eq!(idle.answer().await.unwrap().status, 200);
    let mut dripping = Wire::connect(server.address).await;

    let started = Instant::now();
    let drip = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        while dripping.send("x").await.is_ok() {
            ticks.tick().await;
        }
    };
    let (_, silent, half, idle) = tokio::join!(drip, silent.rest(), half.rest(), idle.rest());
    assert!(started.elapsed() < HEAD_BOUND, "{:?}", started.elapsed());
    assert_eq!((silent, half, idle), (vec![], vec![], vec![]));
    server.wait_for_connections(0).await;
}

#[tokio::test]
async fn connections_that_say_nothing_do_not_keep_others_out() {
    let server = Server::start(4).await;
    let mut idle = Vec::new();
    for _ in 0..12 {
        idle.push(Wire::connect(server.address).await);
    }
    server.wait_for_connections(4).await;
    let started = Instant::now();
    ping(server.address).await;
    // Three spells of two seconds: twelve idle ones were first in a queue of four.
    assert!(started.elapsed() < 4 * HEAD_BOUND, "{:?}", started.elapsed());
}

#[tokio::test]
async fn answers_close_the_connection_when_slots_are_short() {
    let server = Server::start(8).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send(PING).await.unwrap();
    assert_eq!(wire.answer().await.unwrap().header("connection"), None);

    let mut others = Vec::new();
    for _ in 0..6 {
        others.push(Wire::connect(server.address).await);
    }
    server.wait_for_connections(7).await;
    wire.send(PING).await.unwrap();
    assert_eq!(wire.answer().await.unwrap().header("connection"), Some("close"));
    assert_eq!(wire.rest().await, b"");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = Server::start(8).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send(PING.repeat(50)).await.unwrap();
    for _ in 0..50 {
        assert_eq!(wire.answer().await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn a_caller_who_leaves_frees_the_connection() {
    let server = Server::start(8).await;
    let mut wire = Wire::connect(server.address).await;
    wire.send(SLOW).await.unwrap();
    server.wait_for_connections(1).await;
    drop(wire);
    server.wait_for_connections(0).await;
}

#[tokio::test]
async fn the_accept_loop_recovers_when_descriptors_run_out() {
    let server = Server::start(256).await;
    ping(server.address).await;
    server.wait_for_connections(0).await;
    // The clients have their descriptors before the limit falls; the server gets five.
    let clients: Vec<TcpSocket> = (0..20).map(|_| TcpSocket::new_v4().unwrap()).collect();
    // nextest gives each test a process of its own, so the limit is this test's alone.
    let before = getrlimit(Resource::Nofile);
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    setrlimit(Resource::Nofile, Rlimit { current: Some(open + 5), ..before }).unwrap();
    let mut streams = Vec::new();
    for client in clients {
        streams.push(client.connect(server.address).await.unwrap());
    }
    let failed = wait_until(LIMIT, || {
        !server.metrics.render().contains("codex_bridge_accept_errors_total 0\n")
    })
    .await;
    assert!(failed, "no accept failed");
    drop(streams);
    ping(server.address).await;
    setrlimit(Resource::Nofile, before).unwrap();
}

#[tokio::test]
async fn a_stop_lets_requests_end_and_closes_the_rest() {
    let server = Server::start(16).await;
    let mut busy = Wire::connect(server.address).await;
    busy.send(SLOW).await.unwrap();
    let mut idle = Wire::connect(server.address).await;
    idle.send(PING).await.unwrap();
    assert_eq!(idle.answer().await.unwrap().status, 200);
    server.wait_for_connections(2).await;

    server.shutdown.cancel();
    assert_eq!(idle.rest().await, b"");
    server.finish.notify_one();
    assert_eq!(busy.answer().await.unwrap().body, b"done");
    server.task.await.unwrap();
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_stop_cuts_what_does_not_end() {
    let server = Server::start(16).await;
    let mut stuck = Wire::connect(server.address).await;
    stuck.send(SLOW).await.unwrap();
    server.wait_for_connections(1).await;
    let started = Instant::now();
    server.shutdown.cancel();
    server.task.await.unwrap();
    assert!(started.elapsed() < HEAD_BOUND, "{:?}", started.elapsed());
    assert_eq!(stuck.rest().await, b"");
}

/// Without room the kernel drops a caller's first packet, and the caller tries again after a second.
#[tokio::test]
async fn a_thousand_callers_may_wait_for_their_accept() {
    let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || std::net::TcpStream::connect_timeout(&address, RETRY / 2);
    let waiting: Result<Vec<_>, _> = (0..1000).map(|_| connect()).collect();
    assert_eq!(waiting.unwrap().len(), 1000);
}

#[tokio::test]
async fn a_port_in_use_is_said_so() {
    let server = Server::start(4).await;
    let error = Listener::tcp(server.address).unwrap_err();
    assert!(matches!(error, BindError::InUse { .. }), "{error:?}");
    let expected = format!("{} is in use; stop what listens there", server.address);
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[tokio::test]
async fn a_unix_socket_is_this_users_alone_and_replaces_a_dead_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bridge.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());

    let listener = Listener::unix(&path).await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let error = Listener::unix(&path).await.unwrap_err();
    assert!(matches!(error, BindError::InUse { .. }), "{error:?}");

    let shutdown = CancellationToken::new();
    let router = Router::new().route("/ping", get(async || "pong"));
    let task = tokio::spawn(serve(
        vec![listener],
        router,
        Arc::new(Metrics::new()),
        ConnectionLimits::new(8),
        shutdown.clone(),
    ));
    let mut stream = UnixStream::connect(&path).await.unwrap();
    stream
        .write_all(b"GET /ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with("pong"), "{text}");
    shutdown.cancel();
    task.await.unwrap();
    assert!(!path.exists());

    std::fs::write(&path, "not a socket").unwrap();
    assert!(Listener::unix(&path).await.is_err(), "a file that is no socket is not replaced");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "not a socket");
}
