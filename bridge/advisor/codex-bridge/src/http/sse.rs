//! A run's event log as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use contract::event::Event;
use futures_util::{Stream, StreamExt};

/// Idle time after which a comment is sent, to detect a dead peer and keep proxies open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The events as a response: `id` is the position, `data` one line of JSON. A volatile event has no
/// `id`, so a reader's last position stays unchanged.
pub(super) fn response(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let encoded = events.map(|event| {
        let told = match event.seq {
            Some(seq) => sse::Event::default().id(seq.to_string()),
            None => sse::Event::default(),
        };
        Ok::<_, Infallible>(told.event(event.name.as_str()).data(event.data.to_string()))
    });
    Sse::new(encoded).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
