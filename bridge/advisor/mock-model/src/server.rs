//! The server: the routes of the protocols, one recorder, and a script. Ends when its owner is dropped.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::asked::{Asked, MODEL};
use crate::delivery::{Sent, Then};
use crate::dialect::Dialect;
use crate::record::{Log, Recorded};
use crate::script::Script;
use crate::wire::{self, Kind};

/// The largest request body, in bytes: a full prompt of Codex (1,048,576 characters of up to 4 bytes),
/// escaped as JSON, twice for a second round.
const BODY_MAX_BYTES: usize = 32 * 1024 * 1024;

/// How long to wait after a failed `accept`: a lack of file descriptors is temporary.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// A running mock model. Dropping it closes its listener and every connection.
#[derive(Debug)]
pub struct MockModel {
    address: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

/// The state that the connections share.
#[derive(Debug)]
struct State {
    /// Replaced by the owner, used by each request.
    script: Mutex<Script>,
    /// Replaced by the owner, used by each request.
    dialect: Mutex<Dialect>,
    /// Written by each request, read by the owner.
    log: Mutex<Log>,
    /// Written by each request that is refused before the script is used, read by the owner.
    refusals: Mutex<Vec<String>>,
    /// Counted by each connection while it is open, read by the owner.
    open: AtomicUsize,
}

impl MockModel {
    /// Listens and answers according to the script. Port 0 selects a free one.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn start(script: impl Into<Script>, listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            script: Mutex::new(script.into()),
            dialect: Mutex::new(Dialect::OPENAI),
            log: Mutex::default(),
            refusals: Mutex::default(),
            open: AtomicUsize::new(0),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, task })
    }

    /// A mock model on a free loopback port.
    ///
    /// # Errors
    /// No port is free.
    pub async fn local(script: impl Into<Script>) -> io::Result<Self> {
        Self::start(script, SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// The value for Codex's `base_url`, such as `http://127.0.0.1:40001/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Its origin, such as `http://127.0.0.1:40001`: the part before `/v1/messages`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, oldest first; if there were very many, only the latest.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.state.log).all()
    }

    /// How many requests there were.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        lock(&self.state.log).seen()
    }

    /// How many connections are open.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.state.open.load(Ordering::Relaxed)
    }

    /// The error messages to requests that were refused before the script was used, oldest first:
    /// calls and results not in pairs, and others that a provider does not accept.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        lock(&self.state.refusals).clone()
    }

    /// Uses this dialect of `chat` from the next request on; initially OpenAI's.
    pub fn set_dialect(&self, dialect: Dialect) {
        *lock(&self.state.dialect) = dialect;
    }

    /// Uses another script from the next request on.
    pub fn set_script(&self, script: impl Into<Script>) {
        *lock(&self.state.script) = script.into();
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A panic elsewhere leaves both values consistent: each change is a single push or assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Owns the connections: when this task is aborted, they are closed.
async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            // Cancel safe: a connection that was not accepted stays in the backlog.
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&state)));
                }
                Err(_) => tokio::time::sleep(ACCEPT_RETRY).await,
            },
            // Cancel safe: only the removal of an ended connection is delayed.
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    // Small parts are sent at once; a socket without this option still works.
    let _ = stream.set_nodelay(true);
    let _open = Open::new(Arc::clone(&state));
    let service = hyper::service::service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { respond(request, &state).await }
    });
    // A failed connection is the client's problem, or intended by the script.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Counts a connection while it is open, also if its task is aborted.
struct Open(Arc<State>);

impl Open {
    fn new(state: Arc<State>) -> Self {
        state.open.fetch_add(1, Ordering::Relaxed);
        Self(state)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn respond(request: Request<Incoming>, state: &State) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_MAX_BYTES).collect().await.map_err(io::Error::other)?;
    let recorded = Recorded {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect(),
        body: body.to_bytes(),
    };
    let number = {
        let mut log = lock(&state.log);
        log.push(recorded.clone());
        log.seen()
    };
    if head.method == Method::HEAD {
        return Ok(plain(StatusCode::OK, &[], String::new()));
    }
    if head.method == Method::GET && head.uri.path().ends_with("/models") {
        return Ok(plain(StatusCode::OK, &[], models(head.uri.path())));
    }
    let asked = (head.method == Method::POST)
        .then(|| Asked::read(&recorded.path, &recorded.body, *lock(&state.dialect), number));
    let Some(asked) = asked.flatten() else {
        let body = r#"{"error":{"message":"the mock model has no such route"}}"#;
        return Ok(plain(StatusCode::NOT_FOUND, &[], body.to_owned()));
    };
    let reply = match wire::refused(&asked) {
        Some(error) => {
            lock(&state.refusals).extend(error.message.clone());
            error.into()
        }
        None => lock(&state.script).reply(&recorded),
    };
    let answer = wire::answer(reply, &asked);
    if !answer.delay.is_zero() {
        tokio::time::sleep(answer.delay).await;
    }
    let mut response = match answer.kind {
        Kind::Plain { code, headers, body } => {
            let status = StatusCode::from_u16(code).map_err(io::Error::other)?;
            plain(status, &headers, body)
        }
        Kind::Body { content_type, sent } => {
            let mut response = Response::new(body_of(sent));
            mark(&mut response, content_type);
            response
        }
        Kind::Silence => std::future::pending().await,
    };
    add(&mut response, &answer.headers);
    Ok(response)
}

/// The list of models: in Google's form below its own version, else in OpenAI's, which clients of Anthropic
/// accept and to which Codex adds a field.
fn models(path: &str) -> String {
    let list = if path.starts_with("/v1beta/") {
        serde_json::json!({ "models": [{ "name": format!("models/{MODEL}") }] })
    } else {
        let model = serde_json::json!({ "id": MODEL, "object": "model", "owned_by": MODEL });
        serde_json::json!({ "object": "list", "data": [model], "models": [] })
    };
    list.to_string()
}

fn never(never: Infallible) -> io::Error {
    match never {}
}

fn plain(status: StatusCode, headers: &[(String, String)], body: String) -> Response<Body> {
    let mut response = Response::new(Full::from(body).map_err(never).boxed_unsync());
    *response.status_mut() = status;
    mark(&mut response, "application/json");
    add(&mut response, headers);
    response
}

/// Adds headers; invalid ones are left out.
fn add(response: &mut Response<Body>, headers: &[(String, String)]) {
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(value);
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().insert(name, value);
        }
    }
}

/// Marks every response as coming from the mock model, whatever its text is.
fn mark(response: &mut Response<Body>, content_type: &'static str) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert("x-mock-model", HeaderValue::from_static("scripted; no model was asked"));
}

/// A body that is sent at once has a length; one in parts has none until it ends.
fn body_of(sent: Sent) -> Body {
    type Frames = Pin<Box<dyn stream::Stream<Item = io::Result<Frame<Bytes>>> + Send>>;
    let Sent { mut parts, then } = sent;
    if let ([(Duration::ZERO, _)], Then::Complete) = (&parts[..], then) {
        let (_, all) = parts.remove(0);
        return Full::from(all).map_err(never).boxed_unsync();
    }
    let parts = stream::iter(parts).then(|(pause, part)| async move {
        if pause.is_zero() {
            // Lets hyper write the previous part, so that each part is a separate write.
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(pause).await;
        }
        Ok(Frame::data(part))
    });
    let rest: Frames = match then {
        Then::Complete => stream::empty().boxed(),
        // A pause lets hyper write the previous part; then the error closes the connection.
        Then::Close => stream::once(async {
            tokio::task::yield_now().await;
            Err(io::Error::other("cut by the script"))
        })
        .boxed(),
        Then::Silence => stream::pending().boxed(),
    };
    StreamBody::new(parts.chain(rest)).boxed_unsync()
}

#[cfg(test)]
mod tests;
