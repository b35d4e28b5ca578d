//! The accept loop: connection limits, timeouts and shutdown.
//!
//! `axum::serve` has no header timeout, no connection limit and no write timeout (axum 0.8,
//! tokio-rs/axum #2741), so this module has its own loop over hyper's HTTP/1 connection.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use futures_util::future::join_all;
use host::socket_owner::{Owner, SocketOwners};
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixSocket, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use crate::http::shares::{ConnectionSlot, Opener, Shares};
use crate::http::socket::Socket;
use crate::metrics::{Metrics, OpenConnection};

/// Timeout for a request's head, and maximum idle time between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of headers in a request; a browser sends about 20.
const HEADERS_MAX: usize = 64;

/// Most bytes of a request's head.
const HEAD_MAX_BYTES: usize = 32 * 1024;

/// Maximum size of hyper's buffer for one direction of one connection.
const BUFFER_MAX_BYTES: usize = 64 * 1024;

/// Length of the accept queue: the connection limit. With tokio's default of 128,
/// a thousand simultaneous callers lose their first packet and retry a second later.
const BACKLOG: u32 = ConnectionLimits::MAX as u32;

/// Another user may hold 1 in so many of all connections without a token: a quarter.
const OTHERS_SHARE: usize = 4;

/// Pause after an accept that failed because a resource was exhausted.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// How long open connections may continue after the listener has stopped.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// File descriptors reserved for the store, the logs, and the pipes of runs.
const RESERVED_DESCRIPTORS: u64 = 192;

/// Wanted limit of file descriptors; more would not be used.
const WANTED_DESCRIPTORS: u64 = 8192;

/// Why an address could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another program listens there.
    #[error(
        "{address} is in use; stop what listens there, or choose another address with --listen (port 0 takes a free one)"
    )]
    InUse {
        /// The address or the socket's path.
        address: String,
    },
    /// The system refused.
    #[error("cannot listen on {address}")]
    Refused {
        /// The address or the socket's path.
        address: String,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

/// A bound listener.
#[derive(Debug)]
pub enum Listener {
    /// A TCP address.
    Tcp(TcpListener),
    /// A Unix socket, and the file to remove at the end if it is ours.
    Unix(UnixListener, Option<PathBuf>),
}

impl Listener {
    /// Listens on a TCP address; port 0 takes a free one.
    ///
    /// # Errors
    /// [`BindError::InUse`] where the address is taken.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn tcp(address: SocketAddr) -> Result<Self, BindError> {
        let listener = bind(address);
        listener.map(Self::Tcp).map_err(|source| refused(address.to_string(), source))
    }

    /// Listens on a Unix socket that only this user can reach. A socket file without a listener was
    /// left by a killed daemon and is replaced.
    ///
    /// # Errors
    /// [`BindError::InUse`] if another daemon listens on it.
    pub async fn unix(path: &Path) -> Result<Self, BindError> {
        let address = path.display().to_string();
        let is_socket = path.metadata().is_ok_and(|found| found.file_type().is_socket());
        if is_socket {
            if UnixStream::connect(path).await.is_ok() {
                return Err(BindError::InUse { address });
            }
            std::fs::remove_file(path).map_err(|source| refused(address.clone(), source))?;
        }
        let listener = bind_unix(path).map_err(|source| refused(address.clone(), source))?;
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))
            .map_err(|source| refused(address, source))?;
        Ok(Self::Unix(listener, Some(path.to_owned())))
    }

    /// The TCP address, with the actual port.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix(..) => None,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, Some(path)) = self {
            // The next daemon replaces it anyway.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Binds with address reuse, so that a restart does not have to wait.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    socket.listen(BACKLOG)
}

fn refused(address: String, source: io::Error) -> BindError {
    match source.kind() {
        io::ErrorKind::AddrInUse => BindError::InUse { address },
        _ => BindError::Refused { address, source },
    }
}

/// Maximum number of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    max: usize,
}

impl ConnectionLimits {
    /// Upper limit: 1,000 concurrent callers, and as many again.
    pub const MAX: usize = 2048;

    /// At most `max` connections.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { max: max.clamp(1, Self::MAX) }
    }

    /// As many as this process has file descriptors for, after raising the soft limit.
    #[must_use]
    pub fn claim() -> Self {
        let mut limit = getrlimit(Resource::Nofile);
        let hard = limit.maximum.unwrap_or(u64::MAX);
        let wanted = WANTED_DESCRIPTORS.min(hard);
        if limit.current.is_some_and(|current| current < wanted) {
            let before = limit.current;
            limit.current = Some(wanted);
            if setrlimit(Resource::Nofile, limit).is_err() {
                limit.current = before;
            }
        }
        let descriptors = limit.current.unwrap_or(u64::MAX);
        let max = descriptors.saturating_sub(RESERVED_DESCRIPTORS).max(descriptors / 2);
        Self::new(usize::try_from(max).unwrap_or(usize::MAX))
    }
}

/// Serves the router until `shutdown` is cancelled; then stops accepting, gives requests in
/// flight two seconds, and returns.
///
/// # Cancel safety
/// Dropping the future stops accepting at once; open connections continue on their own.
pub async fn serve(
    listeners: Vec<Listener>,
    router: Router,
    metrics: Arc<Metrics>,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let server = Server {
        router,
        metrics,
        slots: Arc::new(Semaphore::new(limits.max)),
        shares: Shares::new(limits.max / OTHERS_SHARE),
        tight: limits.max / 4,
        shutdown,
        cut: CancellationToken::new(),
        connections: TaskTracker::new(),
    };
    join_all(listeners.into_iter().map(|listener| server.accept(listener))).await;
    server.connections.close();
    if timeout(CLOSE_GRACE, server.connections.wait()).await.is_err() {
        tracing::warn!(connections = server.connections.len(), "connections had to be cut");
        server.cut.cancel();
        server.connections.wait().await;
    }
}

#[derive(Clone)]
struct Server {
    router: Router,
    metrics: Arc<Metrics>,
    /// One permit per connection; taken before the accept, so that connections over the limit
    /// wait in the kernel.
    slots: Arc<Semaphore>,
    /// Connections by user.
    shares: Shares,
    /// If fewer slots than this are free, connections are closed after each response.
    tight: usize,
    /// Stops accepting and ends each connection after its current request.
    shutdown: CancellationToken,
    /// Ends each connection now.
    cut: CancellationToken,
    connections: TaskTracker,
}

impl Server {
    async fn accept(&self, listener: Listener) {
        let mut failing = false;
        let owners = SocketOwners::open()
            .inspect_err(|error| {
                tracing::info!(%error, "the kernel does not tell whose connections these are");
            })
            .ok();
        loop {
            let next = async {
                let slot = self.slot().await;
                (slot, self.accept_one(&listener, owners.as_ref()).await)
            };
            // Both arms are cancel safe: a slot is given back, and a connection that was not
            // accepted stays in the kernel's queue.
            let (slot, accepted) = tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return,
                next = next => next,
            };
            match accepted {
                Ok((Peer::Tcp(stream), opener)) => self.spawn(stream, opener, slot),
                Ok((Peer::Unix(stream), opener)) => self.spawn(stream, opener, slot),
                Err(error) if is_peers_fault(&error) => continue,
                Err(error) => {
                    self.metrics.observe_accept_error();
                    // Logged once per series of failures: the loop fails twenty times a second.
                    if !failing {
                        tracing::warn!(%error, "cannot accept connections; trying again");
                    }
                    failing = true;
                    sleep(ACCEPT_BACKOFF).await;
                    continue;
                }
            }
            failing = false;
        }
    }

    /// A slot for the next connection; if none is free, a connection without a token is closed.
    async fn slot(&self) -> OwnedSemaphorePermit {
        let slots = || Arc::clone(&self.slots);
        if let Ok(slot) = slots().try_acquire_owned() {
            return slot;
        }
        self.shares.make_room();
        slots().acquire_owned().await.expect("the slots are never closed")
    }

    async fn accept_one(
        &self,
        listener: &Listener,
        owners: Option<&SocketOwners>,
    ) -> io::Result<(Peer, Opener)> {
        match listener {
            Listener::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let owner = match owners {
                    Some(owners) => owners.of(peer, stream.local_addr()?),
                    None => Owner::Unknown,
                };
                Ok((Peer::Tcp(stream), Opener::of(owner)))
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                // The file's mode ensures the same; this check holds even if the folder was opened to others.
                if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
                    tracing::warn!("refused a connection from another user");
                    return Err(io::ErrorKind::ConnectionRefused.into());
                }
                Ok((Peer::Unix(stream), Opener::Own))
            }
        }
    }

    fn spawn<S>(&self, stream: S, opener: Opener, slot: OwnedSemaphorePermit)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // Over this user's share: close the connection.
        let Some(place) = self.shares.enter(opener) else { return };
        let open = self.metrics.observe_connection();
        self.connections.spawn(self.clone().connection(stream, place, (slot, open)));
    }

    /// Serves one connection to its end. `_held` is released then.
    async fn connection<S>(
        self,
        stream: S,
        place: ConnectionSlot,
        _held: (OwnedSemaphorePermit, OpenConnection),
    ) where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (slots, tight) = (Arc::clone(&self.slots), self.tight);
        let router = self.router;
        let proof = place.proof();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(proof.clone());
            // A router is always ready.
            let answer = router.clone().call(request.map(Body::new));
            let slots = Arc::clone(&slots);
            async move {
                let mut response: Response<Body> = answer.await?;
                if slots.available_permits() < tight {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
                Ok::<_, Infallible>(response)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_headers(HEADERS_MAX)
            .max_header_size(HEAD_MAX_BYTES)
            .max_buf_size(BUFFER_MAX_BYTES)
            .serve_connection(TokioIo::new(Socket::new(stream)), service);
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = place.cut.cancelled() => return,
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection.as_mut() => ended,
                    () = self.cut.cancelled() => return,
                }
            }
        };
        if let Err(error) = ended {
            // A fault of the peer, which needs no action here.
            tracing::debug!(%error, "connection ended early");
        }
    }
}

enum Peer {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Whether the error concerns the connection, not the listener.
fn is_peers_fault(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionRefused
            | Kind::ConnectionAborted
            | Kind::ConnectionReset
            | Kind::NotConnected
            | Kind::InvalidInput
    )
}
