//! The outermost layer of all routes: a request id, cache headers, one log line, one
//! count, and a failure response instead of a panic.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::failure::FailureCode;
use futures_util::FutureExt;
use http::header::{CACHE_CONTROL, HeaderMap, HeaderName, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, StatusCode};
use hyper::body::{Frame, SizeHint};
use tracing::{Instrument, Level};
use uuid::Uuid;

use crate::http::access::only;
use crate::http::failure::Rejection;
use crate::http::routes::{ASSETS, QUIET, ROUTES, is_of_window};
use crate::http::state::AppState;
use crate::http::window::protection;
use crate::metrics::Metrics;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of a caller's request id, in bytes; a UUID has 36, a W3C trace id 55.
const REQUEST_ID_MAX_BYTES: usize = 64;

/// The outermost layer.
pub(super) async fn envelope(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let id = request_id(request.headers());
    let mut record = Record {
        metrics: Arc::clone(&app.metrics),
        id: id.clone(),
        method: request.method().clone(),
        route: route(&request),
        started: Instant::now(),
        answer: None,
        is_whole: false,
    };
    let is_of_window = is_of_window(request.uri().path());
    let span = tracing::info_span!("request", request.id = %record.id());
    let mut response = caught(next.run(request)).instrument(span).await;
    record.answer = Some((response.status(), response.extensions_mut().remove::<FailureCode>()));
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id);
    let no_store = HeaderValue::from_static("no-store");
    // Names of the pages' files contain a hash of their content, so these may be cached.
    if record.route != ASSETS || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, no_store);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_of_window {
        protection::protect(headers);
    }
    if response.body().size_hint().exact().is_some() {
        record.is_whole = true;
        return response;
    }
    // A stream: the request ends with its last byte, or when the caller disconnects.
    response.map(|body| Body::new(Recorded { body, record }))
}

/// The response; a failure if the handler panics.
async fn caught(response: impl Future<Output = Response>) -> Response {
    AssertUnwindSafe(response).catch_unwind().await.unwrap_or_else(|_| {
        // The panic hook has logged where and why.
        Rejection::new(FailureCode::Internal, "the bridge made a mistake; its log has the details")
            .into_response()
    })
}

/// The caller's request id if it is safe to print, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_sane = |id: &&HeaderValue| {
        (1..=REQUEST_ID_MAX_BYTES).contains(&id.len())
            && id.as_bytes().iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
    };
    only(headers, &X_REQUEST_ID).filter(is_sane).cloned().unwrap_or_else(|| {
        let mut text = Uuid::encode_buffer();
        HeaderValue::from_str(Uuid::now_v7().as_hyphenated().encode_lower(&mut text))
            .expect("a UUID is ASCII")
    })
}

/// The route's pattern, never the path as sent.
fn route(request: &Request) -> &'static str {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    ROUTES.iter().find(|route| Some(**route) == matched).copied().unwrap_or("none")
}

/// Writes the log line and the count when the request ends, for whatever reason.
struct Record {
    metrics: Arc<Metrics>,
    id: HeaderValue,
    method: Method,
    route: &'static str,
    started: Instant,
    /// Set when the response's head is known.
    answer: Option<(StatusCode, Option<FailureCode>)>,
    /// Whether the response is complete; until then the caller may disconnect.
    is_whole: bool,
}

impl Record {
    fn id(&self) -> impl fmt::Display {
        self.id.to_str().unwrap_or_default()
    }

    fn log(&self, level: Level, outcome: &str, status: Option<u16>) {
        // The level of a `tracing` event must be a constant.
        macro_rules! line {
            ($level:expr) => {
                tracing::event!(
                    $level,
                    request.id = %self.id(),
                    http.method = %self.method,
                    http.route = self.route,
                    http.status = status,
                    outcome,
                    duration_ms = self.started.elapsed().as_millis() as u64,
                    "request {} {} ended: {outcome}",
                    self.method,
                    self.route,
                )
            };
        }
        match level {
            Level::DEBUG => line!(Level::DEBUG),
            _ => line!(Level::INFO),
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let outcome = match self.answer {
            _ if !self.is_whole => "disconnected",
            Some((_, Some(code))) => code.as_str(),
            Some((StatusCode::ACCEPTED, None)) => "accepted",
            Some((_, None)) | None => "ok",
        };
        // If the caller disconnected before the head, no status was sent.
        let status = self.answer.map(|(status, _)| status.as_u16());
        self.metrics.observe_request(self.route, outcome);
        // Machines and open pages poll these routes: only refusals are logged visibly.
        let level = match outcome {
            "ok" | "disconnected" if QUIET.contains(&self.route) => Level::DEBUG,
            _ => Level::INFO,
        };
        self.log(level, outcome, status);
    }
}

/// A streamed body that completes its request's record at its end.
struct Recorded {
    body: Body,
    record: Record,
}

impl HttpBody for Recorded {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.record.is_whole |= matches!(polled, Poll::Ready(None));
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let response = caught(async { panic!("on purpose") }).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.extensions().get(), Some(&FailureCode::Internal));
    }
}
