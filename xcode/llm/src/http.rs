//! Sends requests to a model over HTTP.
//!
//! A key is sent only to the configured address: redirects are not followed, plain
//! HTTP is used for loopback only, and only the configured proxy is used (environment variables
//! are ignored).

mod address;
mod connector;
mod reading;
mod tls;

pub use tls::tls_config;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use redact::{Cut, Redactor};
use uuid::Uuid;

use crate::catalogue::{Catalogue, Limits, Protocol};
use crate::failure::{Failure, Wait};
use crate::id::ModelId;
use crate::key::Key;
use crate::model::{Cancel, Events, Model};
use crate::reply::{Reply, classify};
use crate::request::Request;
use crate::wire::{self, Target};

use address::Address;
pub use address::{InvalidAddress, Proxy};
use connector::{Client, MESSAGE_CHARS, Problem};

/// Maximum size of an error response, in bytes.
const MAX_REFUSAL_BYTES: usize = 256 << 10;

/// Maximum size of a list of models, in bytes: routers of other providers list hundreds.
const MAX_LIST_BYTES: usize = 4 << 20;

/// Timeout of a list of models.
const LIST_MAX: Duration = Duration::from_secs(5);

/// Maximum number of suggested models.
const NEAREST_MAX: usize = 5;

/// Timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Connecting, including name resolution and TLS.
    pub connect: Duration,
    /// From sending the request to the head of the response.
    pub headers: Duration,
    /// Between two pieces of data within an answer, pings included.
    pub silence: Duration,
}

impl Times {
    /// 10 s to connect, 60 s for the head, because long prompts are read first; 120 s of silence, because models
    /// may reason without output, though most providers send pings.
    pub const USUAL: Self = Self {
        connect: Duration::from_secs(10),
        headers: Duration::from_secs(60),
        silence: Duration::from_secs(120),
    };
}

/// The model and how to reach it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The model.
    pub id: ModelId,
    /// The key of its provider.
    pub key: Key,
    /// Base URL that overrides the catalogue's; required for `custom`.
    pub base_url: Option<String>,
    /// Context window that overrides the catalogue's, in tokens.
    pub window: Option<u64>,
    /// Timeouts.
    pub times: Times,
    /// The proxy for providers. `None` connects directly.
    pub proxy: Option<Proxy>,
}

/// A model of a provider.
pub struct RemoteModel {
    target: Target,
    protocol: Protocol,
    key: Key,
    redactor: Redactor,
    address: Address,
    /// The URL of the provider's list of models.
    list: Address,
    times: Times,
    /// Created by the first request: reading the trusted roots takes milliseconds.
    client: OnceLock<Result<Client, Failure>>,
}

impl RemoteModel {
    /// The model with these settings. Does not connect yet.
    ///
    /// # Errors
    /// [`InvalidAddress`] if the base URL or the proxy cannot be used.
    pub fn new(settings: Settings) -> Result<Self, InvalidAddress> {
        let Settings { id, key, base_url, window, times, proxy } = settings;
        let catalogue = Catalogue::built_in();
        let entry = catalogue.provider(id.provider());
        let protocol = catalogue.protocol(&id);
        let base_url = base_url.as_deref().or(entry.base_url.as_deref());
        let address = |path: &str| Address::new(base_url, path, proxy.as_ref());
        let list = address(wire::list_path(protocol))?;
        let address = address(&wire::path(protocol, id.name()))?;
        let mut limits = catalogue.limits(&id);
        if let Some(window) = window {
            limits = Limits { window, is_assumed: false, ..limits };
        }
        let redactor = Redactor::with_values(vec![key.secret()]);
        let target = Target { quirks: catalogue.quirks(&id), id, limits };
        let client = OnceLock::new();
        Ok(Self { target, protocol, key, redactor, address, list, times, client })
    }

    async fn ask(&self, request: Request) -> Result<Events, Failure> {
        let sent = self.client()?.request(self.made(&request));
        let Ok(sent) = tokio::time::timeout(self.times.headers, sent).await else {
            return Err(Failure::Timeout { wait: Wait::Headers, after: self.times.headers });
        };
        let reply = sent.map_err(|error| self.no_connection(&error))?;
        if !reply.status().is_success() {
            let mut failure = self.refusal(reply).await;
            if let Failure::ModelUnknown { nearest, .. } = &mut failure {
                *nearest = self.nearest().await;
            }
            return Err(failure);
        }
        let kind = reply.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if let Some(kind) = kind.filter(|kind| is_no_stream(kind)) {
            let message = format!("{} instead of a stream", self.masked(kind));
            return Err(Failure::Unreadable { message });
        }
        let decoder = wire::decoder(self.protocol, self.target.id.provider(), &id_prefix());
        let silence = self.times.silence;
        Ok(reading::events(reply.into_body(), decoder, silence, self.redactor.clone()))
    }

    fn client(&self) -> Result<&Client, Failure> {
        let make = || {
            connector::client(&self.address, self.times.connect)
                .map_err(|message| Failure::Network { message: self.masked(&message) })
        };
        self.client.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    fn made(&self, request: &Request) -> http::Request<Full<Bytes>> {
        let body = wire::body(self.protocol, &self.target, request).to_string();
        let mut made = http::Request::new(Full::new(Bytes::from(body)));
        *made.method_mut() = Method::POST;
        *made.uri_mut() = self.address.uri().clone();
        let headers = made.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.sign(headers);
        made
    }

    /// Adds the authentication headers.
    fn sign(&self, headers: &mut HeaderMap) {
        let agent = concat!("xc/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        match self.protocol {
            Protocol::Messages => {
                headers.insert("x-api-key", self.key.header(""));
                headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
            }
            Protocol::Gemini => {
                headers.insert("x-goog-api-key", self.key.header(""));
            }
            Protocol::Chat | Protocol::Responses => {
                headers.insert(AUTHORIZATION, self.key.header("Bearer "));
            }
        }
    }

    /// The names in the provider's list that are most similar to the model's; empty if there is no list, or
    /// it does not arrive in time.
    async fn nearest(&self) -> Vec<String> {
        let listed = tokio::time::timeout(LIST_MAX, self.listed()).await.ok().flatten();
        let name = self.target.id.name();
        let mut names: Vec<_> = listed.unwrap_or_default().into_iter().collect();
        names.sort_by(|one, other| {
            let likeness = |known: &str| strsim::jaro_winkler(name, known);
            likeness(other).total_cmp(&likeness(one))
        });
        names.truncate(NEAREST_MAX);
        names.iter().map(|name| self.masked(name)).collect()
    }

    async fn listed(&self) -> Option<Vec<String>> {
        let mut made = http::Request::new(Full::new(Bytes::new()));
        *made.uri_mut() = self.list.uri().clone();
        self.sign(made.headers_mut());
        let reply = self.client().ok()?.request(made).await.ok()?;
        let body = Limited::new(reply.into_body(), MAX_LIST_BYTES).collect().await.ok()?.to_bytes();
        serde_json::from_slice(&body).ok().map(|list| wire::listed(&list))
    }

    /// Reads an error response; an unreadable one counts as empty.
    async fn refusal(&self, reply: Response<Incoming>) -> Failure {
        let (head, body) = reply.into_parts();
        let body = Limited::new(body, MAX_REFUSAL_BYTES).collect();
        let body = match tokio::time::timeout(self.times.headers, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(_)) | Err(_) => Bytes::new(),
        };
        let body = String::from_utf8_lossy(&body);
        let reply = Reply::new(head.status.as_u16(), &head.headers, &body, SystemTime::now());
        classify(reply, &self.redactor)
    }

    fn no_connection(&self, error: &hyper_util::client::legacy::Error) -> Failure {
        match connector::problem(error) {
            Problem::ConnectTime => {
                Failure::Timeout { wait: Wait::Connect, after: self.times.connect }
            }
            Problem::Other(message) => Failure::Network { message: self.masked(&message) },
        }
    }

    fn masked(&self, text: &str) -> String {
        let cut = Cut::chars(MESSAGE_CHARS).marked();
        self.redactor.sanitize(text, cut).text.into_owned()
    }
}

impl Model for RemoteModel {
    fn id(&self) -> &ModelId {
        &self.target.id
    }

    fn limits(&self) -> Limits {
        self.target.limits
    }

    fn stream(&self, request: Request, cancel: Cancel) -> BoxFuture<'_, Result<Events, Failure>> {
        Box::pin(async move {
            // Both arms are cancel safe: dropping a request closes its connection.
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Failure::Cancelled),
                asked = self.ask(request) => Ok(reading::until(cancel.clone(), asked?)),
            }
        })
    }
}

impl std::fmt::Debug for RemoteModel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RemoteModel").field("id", &self.target.id).finish_non_exhaustive()
    }
}

/// Whether a response of this media type is certainly not an event stream. Other types are accepted: not every endpoint
/// labels its streams.
fn is_no_stream(kind: &str) -> bool {
    ["application/json", "text/html"].iter().any(|begin| kind.starts_with(begin))
}

/// A prefix, unique to the request, for ids of calls without one.
fn id_prefix() -> String {
    let unique = Uuid::now_v7().simple().to_string();
    format!("call_{}", &unique[unique.len() - 16..])
}
