//! Sends one request to one checked address: no proxy, no redirects, no connection reuse. Not here: which
//! addresses are permitted (see `fetch`).

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderName, USER_AGENT};
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

/// The `User-Agent` header.
const AGENT: &str = "xc";

/// Resolves names and makes connections: the real network, or a test.
pub trait Network: Send + Sync {
    /// All addresses of a name.
    ///
    /// # Errors
    /// The resolver's error.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;

    /// A connection to exactly this address.
    ///
    /// # Errors
    /// The operating system's error.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>>;
}

/// The network of this machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemNetwork;

impl Network for SystemNetwork {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>> {
        Box::pin(TcpStream::connect(address))
    }
}

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub method: Method,
    pub uri: Uri,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
}

/// A response.
#[derive(Debug)]
pub(super) struct Answered {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body after decompression, up to the limit.
    pub body: Vec<u8>,
    /// Whether the body was longer.
    pub is_cut: bool,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// No trusted certificates, no connection, or a connection that ended early.
    #[error("{0}")]
    Network(String),
    /// The content encoding is unknown.
    #[error("it is packed as {0}, which is not known here")]
    Packed(String),
    /// The body is not in the encoding that its header names.
    #[error("it cannot be unpacked")]
    Broken,
}

/// Sends the request to the server at `address`, and reads at most `max_bytes` of the response. The body is only read if the
/// status is a success.
///
/// # Cancel safety
/// If the future is dropped, the connection is closed.
pub(super) async fn ask(
    network: &Arc<dyn Network>,
    address: SocketAddr,
    asked: Asked,
    max_bytes: usize,
) -> Result<Answered, Failed> {
    let is_tls = asked.uri.scheme_str() == Some("https");
    let network = Arc::clone(network);
    // The host name is for the certificate and the server; the connection goes to the checked address.
    let tcp = tower::service_fn(move |_: Uri| {
        let network = Arc::clone(&network);
        Box::pin(async move { Ok::<_, io::Error>(TokioIo::new(network.connect(address).await?)) })
    });
    let mut request = Request::builder()
        .method(asked.method)
        .uri(asked.uri)
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1")
        .header(ACCEPT_ENCODING, "gzip, identity");
    for (name, value) in asked.headers {
        request = request.header(name, value);
    }
    let request =
        request.body(Full::new(asked.body)).map_err(|error| Failed::Network(error.to_string()))?;
    let builder = Client::builder(TokioExecutor::new());
    let answered = if is_tls {
        let tls = llm::tls_config().map_err(Failed::Network)?;
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_only();
        let connector = connector.enable_http1().wrap_connector(tcp);
        builder.clone().build(connector).request(request).await
    } else {
        builder.clone().build(tcp).request(request).await
    };
    let answer = answered.map_err(|error| Failed::Network(host::ErrorChain(&error).to_string()))?;
    let (parts, mut body) = answer.into_parts();
    let mut bytes = Vec::new();
    let mut is_cut = false;
    while parts.status.is_success()
        && let Some(frame) = body.frame().await
    {
        let frame = frame.map_err(|error| Failed::Network(host::ErrorChain(&error).to_string()))?;
        let Some(data) = frame.data_ref() else { continue };
        let room = max_bytes - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            is_cut = true;
            break;
        }
    }
    let packed = parts.headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let packed = packed.map(|packed| packed.trim().to_lowercase());
    let (body, is_long) = match packed.as_deref() {
        None | Some("" | "identity") => (bytes, false),
        Some("gzip" | "x-gzip") => unpacked(&bytes, max_bytes, is_cut)?,
        Some(other) => return Err(Failed::Packed(other.chars().take(40).collect())),
    };
    Ok(Answered { status: parts.status, headers: parts.headers, body, is_cut: is_cut || is_long })
}

/// Decompresses at most `max_bytes`, whatever the full size is, and returns whether there is more. A truncated input gives
/// what it contains.
fn unpacked(packed: &[u8], max_bytes: usize, is_cut: bool) -> Result<(Vec<u8>, bool), Failed> {
    let mut reader = flate2::read::MultiGzDecoder::new(packed);
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return Ok((bytes, false)),
            Ok(read) => {
                let room = max_bytes - bytes.len();
                bytes.extend_from_slice(&chunk[..read.min(room)]);
                if read > room {
                    return Ok((bytes, true));
                }
            }
            Err(_) if is_cut => return Ok((bytes, true)),
            Err(_) => return Err(Failed::Broken),
        }
    }
}
