//! A run's event log as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};

use crate::service::RunEvent;

/// Silence after which a comment is sent, so that a dead peer is found and a proxy stays open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Whether nothing follows this event.
pub(super) fn is_terminal(event: &RunEvent) -> bool {
    matches!(event.event.as_str(), "report" | "failure")
}

/// The events as a response: `id` is the position, `data` one line of JSON.
pub(super) fn response(events: impl Stream<Item = RunEvent> + Send + 'static) -> Response {
    let encoded = events.map(|event| {
        Ok::<_, Infallible>(
            Event::default()
                .id(event.seq.to_string())
                .event(event.event)
                .data(event.data.to_string()),
        )
    });
    Sse::new(encoded).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
