//! Connections: TCP, TLS by rustls with ring and the system's roots, an HTTP proxy. HTTP/1.1 only.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper_rustls::{HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Builder;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

use super::address::Address;
use super::tls::tls_config;

/// Maximum length of a connection's error message, in characters.
pub(super) const MESSAGE_CHARS: usize = 500;

/// A pool of connections to one address.
pub(super) type Client = hyper_util::client::legacy::Client<Connector, Full<Bytes>>;

type Connection = MaybeHttpsStream<TokioIo<TcpStream>>;
type Connector = BoxCloneSyncService<Uri, Connection, BoxError>;

/// The connection timed out.
#[derive(Debug, thiserror::Error)]
#[error("no connection in time")]
struct ConnectTime;

/// Classification of the client's error.
#[derive(Debug)]
pub(super) enum Problem {
    /// Connecting timed out.
    ConnectTime,
    /// Any other error, as text.
    Other(String),
}

/// A client for `address` only.
///
/// # Errors
/// TLS is needed but not available; the reason as text.
pub(super) fn client(address: &Address, connect: Duration) -> Result<Client, String> {
    trusting(address, connect, tls_config)
}

/// A client with the TLS configuration from `tls`, if `address` needs it.
fn trusting(
    address: &Address,
    connect: Duration,
    tls: impl FnOnce() -> Result<ClientConfig, String>,
) -> Result<Client, String> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let connector = match (address.is_tls(), address.proxy()) {
        (false, _) => {
            let plain = tcp.map_response(MaybeHttpsStream::Http).map_err(BoxError::from);
            in_time(plain, connect)
        }
        (true, None) => in_time(secure(tcp, tls()?), connect),
        (true, Some(proxy)) => in_time(secure(Tunnel::new(proxy.clone(), tcp), tls()?), connect),
    };
    Ok(Builder::new(TokioExecutor::new()).build(connector))
}

/// TLS over the connections of `inner`; other connections are refused.
fn secure<C>(inner: C, config: ClientConfig) -> hyper_rustls::HttpsConnector<C> {
    let builder = HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1();
    builder.wrap_connector(inner)
}

/// `inner` with a connection timeout.
fn in_time<C>(inner: C, connect: Duration) -> Connector
where
    C: Service<Uri, Response = Connection, Error = BoxError> + Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
{
    let service = tower::service_fn(move |uri: Uri| {
        let inner = inner.clone();
        async move {
            match tokio::time::timeout(connect, inner.oneshot(uri)).await {
                Ok(connected) => connected,
                Err(_) => Err(BoxError::from(ConnectTime)),
            }
        }
    });
    BoxCloneSyncService::new(service)
}

/// Classifies `error`; its message includes its causes.
pub(super) fn problem(error: &(dyn Error + 'static)) -> Problem {
    let mut words = Vec::new();
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<ConnectTime>() {
            return Problem::ConnectTime;
        }
        words.push(error.to_string());
        cause = error.source();
    }
    words.dedup();
    Problem::Other(words.join(": "))
}

#[cfg(test)]
mod tests;
