//! One connection for one request: HTTP/1.1 over TCP or a Unix socket, with limits on time and size.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::address::Address;
use crate::listener_owner::Trust;

/// The timeout of connecting: on one machine it takes microseconds, unless the listener's
/// backlog is full.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// The longest response that is read, in bytes: a page of the history has at most 200 short lines, an
/// outcome some kilobytes.
const ANSWER_MAX_BYTES: usize = 16 << 20;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Nothing listens, or this user has no permission to connect.
    #[error("{0}")]
    Refused(#[source] io::Error),
    /// There was no response in time.
    #[error("no answer in time")]
    Silent,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(#[source] hyper::Error),
    /// The peer closed the connection before it sent anything.
    #[error("the connection was closed at once")]
    Closed,
    /// Another user's program listens there.
    #[error("user {user} listens there")]
    Foreign { user: u32 },
    /// The kernel does not report whose program listens there.
    #[error("it cannot be told who listens there")]
    Untold,
    /// The peer does not speak HTTP.
    #[error("what answers does not speak HTTP")]
    NotHttp,
    /// The response is longer than any of the daemon's.
    #[error("the answer is longer than {ANSWER_MAX_BYTES} bytes")]
    TooLong,
}

/// A connection that is ready for its only request. Closed when dropped.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driving: Driving,
}

/// A response whose head was received. It keeps the connection open.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Whether the body is a stream of events.
    pub(crate) is_event_stream: bool,
    /// The `Content-Location` header of the response.
    pub(crate) content_location: Option<String>,
    body: Incoming,
    _driving: Driving,
}

/// The task that drives the connection; aborted when dropped.
struct Driving(JoinHandle<()>);

impl Drop for Driving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    /// Connects, and checks whose program listens. All connections are made here, so no
    /// request, and no token, is sent to another user's program.
    ///
    /// # Cancel safety
    /// If the future is dropped, there is no connection.
    pub(crate) async fn open(
        address: &Address,
        trust: Trust,
        deadline: Instant,
    ) -> Result<Self, Fault> {
        let connected = deadline.min(Instant::now() + CONNECT_LIMIT);
        let stream = timeout_at(connected, Stream::connect(address))
            .await
            .map_err(|_| Fault::Silent)?
            .map_err(Fault::Refused)?;
        match &stream {
            Stream::Tcp(stream) => trust.check_tcp(stream, deadline).await?,
            Stream::Unix(stream) => trust.check_unix(stream)?,
        }
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // The error is also reported to the task that waits for the response.
        let driving = Driving(tokio::spawn(async { drop(connection.await) }));
        Ok(Self { sender, driving })
    }

    /// Sends the request and waits for the head of the response.
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed; whether the request arrived is unknown.
    pub(crate) async fn send(
        mut self,
        request: Request<Full<Bytes>>,
        deadline: Instant,
    ) -> Result<Answer, Fault> {
        let response = timeout_at(deadline, self.sender.send_request(request))
            .await
            .map_err(|_| Fault::Silent)?
            .map_err(broken)?;
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let content_type = header(http::header::CONTENT_TYPE);
        let is_event_stream = content_type.is_some_and(|it| it.starts_with("text/event-stream"));
        let content_location = header(http::header::CONTENT_LOCATION).map(str::to_owned);
        Ok(Answer {
            status: response.status(),
            is_event_stream,
            content_location,
            body: response.into_body(),
            _driving: self.driving,
        })
    }
}

impl Answer {
    /// The whole body.
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed.
    pub(crate) async fn whole(self, deadline: Instant) -> Result<Bytes, Fault> {
        let Self { body, _driving, .. } = self;
        let collected = timeout_at(deadline, Limited::new(body, ANSWER_MAX_BYTES).collect());
        match collected.await.map_err(|_| Fault::Silent)? {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) => Err(match error.downcast::<hyper::Error>() {
                Ok(error) => broken(*error),
                Err(error) if error.is::<LengthLimitError>() => Fault::TooLong,
                Err(_) => Fault::NotHttp,
            }),
        }
    }

    /// The next piece of a streamed body; `None` at its end.
    ///
    /// # Cancel safety
    /// Cancel safe: a piece is either returned or kept.
    pub(crate) async fn piece(&mut self, deadline: Instant) -> Result<Option<Bytes>, Fault> {
        loop {
            let frame = timeout_at(deadline, self.body.frame()).await.map_err(|_| Fault::Silent)?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(broken(error)),
                Some(Ok(frame)) => {
                    if let Ok(piece) = frame.into_data() {
                        return Ok(Some(piece));
                    }
                }
            }
        }
    }
}

fn broken(error: hyper::Error) -> Fault {
    if error.is_parse() { Fault::NotHttp } else { Fault::Broken(error) }
}

/// A TCP or Unix stream.
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    async fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Unix(path) => UnixStream::connect(path).await.map(Self::Unix),
            Address::Tcp { host, port } => {
                let stream = match Address::numbers(host) {
                    Some(numbers) => {
                        let sockets: Vec<SocketAddr> =
                            numbers.into_iter().map(|number| (number, *port).into()).collect();
                        TcpStream::connect(&*sockets).await?
                    }
                    None => TcpStream::connect((host.as_str(), *port)).await?,
                };
                stream.set_nodelay(true)?;
                Ok(Self::Tcp(stream))
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Self::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
