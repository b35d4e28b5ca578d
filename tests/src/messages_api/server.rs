//! The HTTP side: a socket on loopback, the script behind it, a list of what came.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::request::{Agent, Request};
use super::script::Script;
use super::stream;

/// Largest body it takes, in bytes; the client's own system prompt and tools are some 100 KiB.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

/// The API, which serves until it is dropped.
#[derive(Debug)]
pub struct MessagesApi {
    url: String,
    shared: Arc<Shared>,
    _server: AbortOnDropHandle<()>,
}

/// What the server's tasks and the test both see.
#[derive(Debug)]
struct Shared {
    script: Script,
    /// Written by the server's tasks, read by the test.
    requests: Mutex<Vec<Request>>,
}

impl MessagesApi {
    /// Serves the script on a free port.
    ///
    /// # Errors
    /// No port can be bound.
    pub async fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared { script, requests: Mutex::default() });
        let router = Router::new()
            .fallback(answer)
            .layer(axum::extract::DefaultBodyLimit::max(MAX_BODY_BYTES))
            .with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            // It ends with the test's runtime at the latest, and has nobody to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, shared, _server: AbortOnDropHandle::new(server) })
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every request to `/v1/messages` so far, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests().clone()
    }
}

impl Shared {
    fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers everything. The client looks first whether anybody is there (`HEAD /`).
async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::HEAD {
        return StatusCode::OK.into_response();
    }
    if uri.path() != "/v1/messages" {
        return error(StatusCode::NOT_FOUND, "not_found_error", "no such route");
    }
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", "this is no JSON");
    };
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let request = Request {
        agent: header("x-claude-code-agent-id").map_or(Agent::Main, Agent::Sub),
        session_id: header("x-claude-code-session-id"),
        body,
    };
    let serial = {
        let mut requests = shared.requests();
        requests.push(request.clone());
        requests.len()
    };
    let Some(reply) = shared.script.reply(&request) else {
        let message =
            format!("the script says nothing to {:?} at turn {}", request.agent, request.turn());
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", &message);
    };
    let message = stream::message(&reply, &request.body["model"], serial);
    if request.body["stream"] == true {
        ([(CONTENT_TYPE, "text/event-stream")], stream::events(&message)).into_response()
    } else {
        axum::Json(message).into_response()
    }
}

fn error(status: StatusCode, kind: &str, message: &str) -> Response {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}});
    (status, axum::Json(body)).into_response()
}
