//! One request to one address that was checked: no proxy, no redirect, no connection that is kept. Absent: which
//! addresses may be asked (see `fetch`).

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

/// What servers are told of this program.
const AGENT: &str = "xc";

/// How names are looked up and connections made: the network, or a test.
pub trait Network: Send + Sync {
    /// All addresses of a name.
    ///
    /// # Errors
    /// What the resolver says.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;

    /// A connection to exactly this address.
    ///
    /// # Errors
    /// What the system says.
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

/// What is asked of a server.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub method: Method,
    pub uri: Uri,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// At most as many bytes as were wanted, unpacked.
    pub body: Vec<u8>,
    /// There was more.
    pub is_cut: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// No trusted certificates, no connection, or an end half way.
    #[error("{0}")]
    Network(String),
    /// What it is packed with is not known.
    #[error("it is packed as {0}, which is not known here")]
    Packed(String),
    /// It says that it is packed and is not.
    #[error("it cannot be unpacked")]
    Broken,
}

/// Asks the server at `address`, and reads at most `max_bytes` of its answer. A body that no status of success goes
/// with is not read.
///
/// # Cancel safety
/// Dropped half way, the connection is closed.
pub(super) async fn ask(
    network: &Arc<dyn Network>,
    address: SocketAddr,
    asked: Asked,
    max_bytes: usize,
) -> Result<Answered, Failed> {
    let is_tls = asked.uri.scheme_str() == Some("https");
    let network = Arc::clone(network);
    // The name in the address is for the certificate and the server; the connection goes to what was checked.
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

/// Unpacks at most `max_bytes`, whatever they would become, and says whether there is more. A cut text gives what is
/// in it.
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
