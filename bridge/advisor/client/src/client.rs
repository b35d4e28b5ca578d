//! The daemon's routes as methods with typed results. Following a run is in `follow`.

use std::time::Duration;

use bytes::Bytes;
use contract::failure::{Failure, FailureCode};
use contract::id::{RunId, SessionId};
use contract::input::AdvisorInput;
use contract::key::IdempotencyKey;
use contract::readiness::Readiness;
use contract::run::{Accepted, RunPage, RunRecord, RunState, RunSummary, SessionRecord};
use contract::window::{WindowLink, WindowsClosed};
use contract::workspace::{WORKSPACE_HEADER, Workspace};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::address::Address;
use crate::connection::{Answer, Connection, Fault};
use crate::discovery::{Discovery, Found};
use crate::error::ClientError;

/// The timeout of a request that needs no model. The daemon takes milliseconds; `/readyz` may have to
/// start Codex, and a busy machine is slow.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The route that creates and revokes links for browsers.
const LINKS: &str = "/window/links";

/// A client of the daemon. Cheap to clone; keeps no connection open. Needs a Tokio runtime with I/O and time.
#[derive(Debug, Clone)]
pub struct Client {
    discovery: Discovery,
    workspace: Option<Workspace>,
}

/// The response of `GET /healthz`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The daemon's version.
    pub version: String,
}

/// What is at the daemon's address.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// The daemon.
    Serving(Health),
    /// Nothing listens: a daemon could be started there.
    Nobody(Failure),
    /// Something unusable: another program, no response, an address that must not be used.
    Unusable(Failure),
}

/// The query for a page of the history, newest runs first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// Only runs of this session.
    pub session_id: Option<SessionId>,
    /// Only runs older than this one.
    pub before: Option<RunId>,
    /// At most this many, 1 to 200.
    pub limit: Option<u16>,
}

/// A request without address and token.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: impl Into<String>, body: Vec<u8>) -> Self {
        Self { body: body.into(), ..Self::new(Method::POST, path) }
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: Bytes::new() }
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Why a request has no result of its type.
pub(crate) enum Unanswered {
    /// The daemon returned a failure.
    Failure(Failure),
    /// There was no response of the daemon.
    ClientError(ClientError),
}

impl From<ClientError> for Unanswered {
    fn from(trouble: ClientError) -> Self {
        Self::ClientError(trouble)
    }
}

impl From<Unanswered> for Failure {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Failure(failure) => failure,
            Unanswered::ClientError(trouble) => trouble.failure(),
        }
    }
}

impl Client {
    /// A client of the daemon that `discovery` finds.
    #[must_use]
    pub fn new(discovery: Discovery) -> Self {
        Self { discovery, workspace: None }
    }

    /// The same client for one project: its runs belong to the project, and no other runs are visible.
    #[must_use]
    pub fn of_workspace(self, workspace: Option<Workspace>) -> Self {
        Self { workspace, ..self }
    }

    /// How it finds the daemon.
    #[must_use]
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Starts a run that continues without the caller. The same key returns the same run, so
    /// a request whose connection broke is repeated once.
    ///
    /// # Errors
    /// The daemon's failure, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// If the future is dropped, the run may have been started; the same key finds it.
    pub async fn submit(
        &self,
        input: &AdvisorInput,
        key: &IdempotencyKey,
        deadline: Instant,
    ) -> Result<Accepted, Failure> {
        let body = serde_json::to_vec(input).map_err(|error| {
            Failure::new(FailureCode::Internal, format!("the question cannot be written: {error}"))
        })?;
        let key = HeaderValue::from_str(key.as_str()).map_err(|error| {
            Failure::new(FailureCode::Internal, format!("the key cannot be sent: {error}"))
        })?;
        let call = Call::post("/analyze", body)
            .header(HeaderName::from_static("prefer"), HeaderValue::from_static("respond-async"))
            .header(HeaderName::from_static("idempotency-key"), key);
        Ok(self.typed(&call, deadline).await?)
    }

    /// One run, after waiting at most `wait` for its end.
    ///
    /// # Errors
    /// The daemon's failure, such as `not_found`, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// The run is not affected.
    pub async fn run(
        &self,
        run: RunId,
        wait: Duration,
        deadline: Instant,
    ) -> Result<RunRecord, Failure> {
        Ok(self.record(run, wait, deadline).await?)
    }

    pub(crate) async fn record(
        &self,
        run: RunId,
        wait: Duration,
        deadline: Instant,
    ) -> Result<RunRecord, Unanswered> {
        if wait.is_zero() {
            return self.typed(&Call::get(format!("/runs/{run}")), deadline).await;
        }
        let call = Call::get(format!("/runs/{run}?wait={}", wait.as_secs().max(1)));
        self.typed_within(&call, deadline, wait + ANSWER_LIMIT).await
    }

    /// Runs, newest first.
    ///
    /// # Errors
    /// The daemon's failure, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost.
    pub async fn runs(&self, query: &RunQuery, deadline: Instant) -> Result<RunPage, Failure> {
        let fields = [
            ("state", query.state.map(|state| state.as_str().to_owned())),
            ("session_id", query.session_id.map(|id| id.to_string())),
            ("before", query.before.map(|id| id.to_string())),
            ("limit", query.limit.map(|limit| limit.to_string())),
        ];
        let words: Vec<String> = fields
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
            .collect();
        let path = match words.as_slice() {
            [] => "/runs".to_owned(),
            words => format!("/runs?{}", words.join("&")),
        };
        Ok(self.typed(&Call::get(path), deadline).await?)
    }

    /// Cancels a run. Returns when none of its processes is alive; a run that had ended is not changed.
    ///
    /// # Errors
    /// The daemon's failure, such as `not_found`, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// If the future is dropped, the run may have been cancelled.
    pub async fn cancel(&self, run: RunId, deadline: Instant) -> Result<RunSummary, Failure> {
        Ok(self.typed(&Call::new(Method::DELETE, format!("/runs/{run}")), deadline).await?)
    }

    /// One session.
    ///
    /// # Errors
    /// The daemon's failure, such as `unknown_session`, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost.
    pub async fn session(
        &self,
        session: SessionId,
        deadline: Instant,
    ) -> Result<SessionRecord, Failure> {
        Ok(self.typed(&Call::get(format!("/sessions/{session}")), deadline).await?)
    }

    /// What is at the daemon's address. Sends no token.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost.
    pub async fn presence(&self, deadline: Instant) -> Presence {
        match self.health(deadline).await {
            Ok(health) => Presence::Serving(health),
            Err(trouble) if trouble.is_absence() => Presence::Nobody(trouble.failure()),
            Err(trouble) => Presence::Unusable(trouble.failure()),
        }
    }

    async fn health(&self, deadline: Instant) -> Result<Health, ClientError> {
        let started = Instant::now();
        let limit = deadline.min(started + ANSWER_LIMIT);
        let place = self.discovery.address()?;
        let trust = self.discovery.trust()?;
        let asked = async {
            let connection = Connection::open(&place.value, trust, limit).await?;
            let request = request(&Call::get("/healthz"), &place.value, None);
            let answer = connection.send(request, limit).await?;
            let status = answer.status;
            Ok((status, answer.whole(limit).await?))
        };
        let asked: Result<_, Fault> = asked.await;
        let (status, body) =
            asked.map_err(|fault| ClientError::of(fault, place.clone(), started.elapsed()))?;
        decode(status, &body, &place).map_err(|unanswered| match unanswered {
            Unanswered::ClientError(trouble) => trouble,
            // The daemon answers this request without a token.
            Unanswered::Failure(_) => stranger(status, place),
        })
    }

    /// The checks of what the daemon needs to answer a question.
    ///
    /// # Errors
    /// The daemon's failure, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost.
    pub async fn readiness(&self, deadline: Instant) -> Result<Readiness, Failure> {
        Ok(self.typed(&Call::get("/readyz"), deadline).await?)
    }

    /// Creates a link that signs one browser in, once.
    ///
    /// # Errors
    /// The daemon's failure, `not_found` where it serves no pages, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// If the future is dropped, a link may have been created that expires unused.
    pub async fn open_window(&self, deadline: Instant) -> Result<WindowLink, Failure> {
        Ok(self.typed(&Call::new(Method::POST, LINKS), deadline).await?)
    }

    /// Signs every browser out.
    ///
    /// # Errors
    /// The daemon's failure, `not_found` where it serves no pages, or `bridge_unreachable`.
    ///
    /// # Cancel safety
    /// If the future is dropped, this may have been done.
    pub async fn close_windows(&self, deadline: Instant) -> Result<WindowsClosed, Failure> {
        Ok(self.typed(&Call::new(Method::DELETE, LINKS), deadline).await?)
    }

    /// Sends a request with a short response. If the connection breaks before the response, the request is sent once
    /// more: all our requests may be repeated.
    async fn typed<T: DeserializeOwned>(
        &self,
        call: &Call,
        deadline: Instant,
    ) -> Result<T, Unanswered> {
        match self.typed_within(call, deadline, ANSWER_LIMIT).await {
            Err(Unanswered::ClientError(ClientError::Lost { .. })) => {
                self.typed_within(call, deadline, ANSWER_LIMIT).await
            }
            other => other,
        }
    }

    async fn typed_within<T: DeserializeOwned>(
        &self,
        call: &Call,
        deadline: Instant,
        limit: Duration,
    ) -> Result<T, Unanswered> {
        let (place, answer) = self.send(call, deadline, limit).await?;
        let (started, status) = (Instant::now(), answer.status);
        let body = answer.whole(deadline.min(started + limit)).await;
        let body =
            body.map_err(|fault| ClientError::of(fault, place.clone(), started.elapsed()))?;
        decode(status, &body, &place)
    }

    /// Finds the daemon, sends the request with the token, and returns the head of the response. A refused token
    /// is an error of the client's configuration.
    pub(crate) async fn send(
        &self,
        call: &Call,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(Found<Address>, Answer), Unanswered> {
        let started = Instant::now();
        let deadline = deadline.min(started + limit);
        let place = self.discovery.address().map_err(ClientError::from)?;
        let trust = self.discovery.trust().map_err(ClientError::from)?;
        let fault = |fault: Fault| ClientError::of(fault, place.clone(), started.elapsed());
        let connection = Connection::open(&place.value, trust, deadline).await.map_err(fault)?;
        let token = self
            .discovery
            .token()
            .map_err(|error| ClientError::NoToken { place: place.clone(), error })?;
        let mut request = request(call, &place.value, Some(token.value.expose()));
        if let Some(workspace) = &self.workspace {
            let value = HeaderValue::from_str(&workspace.encode());
            let value = value.expect("it is written in visible ASCII");
            request.headers_mut().insert(HeaderName::from_static(WORKSPACE_HEADER), value);
        }
        let answer = connection.send(request, deadline).await.map_err(fault)?;
        if answer.status == StatusCode::UNAUTHORIZED {
            let body = answer.whole(deadline).await.map_err(fault)?;
            let trouble = match serde_json::from_slice::<Failure>(&body) {
                Ok(_) => ClientError::WrongToken { place, token: token.origin },
                Err(_) => stranger(StatusCode::UNAUTHORIZED, place),
            };
            return Err(trouble.into());
        }
        Ok((place, answer))
    }
}

fn request(call: &Call, address: &Address, token: Option<&str>) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(call.body.clone()));
    *request.method_mut() = call.method.clone();
    *request.uri_mut() = call.path.parse().expect("paths are made of fixed words, ids and numbers");
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    for (name, value) in &call.headers {
        headers.insert(name, value.clone());
    }
    let host = HeaderValue::from_str(&address.host_header());
    headers.insert(HOST, host.expect("an address was parsed as an authority, which is ASCII"));
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .expect("a token is visible ASCII (checked where it was read)");
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    request
}

/// Decodes a response as the requested type, as the daemon's failure, or as a response of another program.
pub(crate) fn decode<T: DeserializeOwned>(
    status: StatusCode,
    body: &[u8],
    place: &Found<Address>,
) -> Result<T, Unanswered> {
    if let Ok(failure) = serde_json::from_slice::<Failure>(body) {
        return Err(Unanswered::Failure(failure));
    }
    serde_json::from_slice(body).map_err(|_| stranger(status, place.clone()).into())
}

/// The failure for a response that the daemon never gives.
pub(crate) fn stranger(status: StatusCode, place: Found<Address>) -> ClientError {
    let what =
        format!("it answered {} with something that codex-bridge never says", status.as_u16());
    ClientError::Stranger { place, what }
}
