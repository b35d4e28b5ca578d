//! The format of the log, and logging to a closed reader.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt;

use super::*;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer whose reader is gone.
struct Dead;

impl Write for Dead {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn a_line_is_one_flat_json_object() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::registry().with(json_layer(move || writer.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let analyze = tracing::info_span!("analyze", session.id = "s1", attempt = 0);
        let attempt = tracing::info_span!(parent: &analyze, "attempt", attempt = 1, codex.pid = tracing::field::Empty);
        attempt.record("codex.pid", 42);
        let _entered = attempt.enter();
        tracing::warn!(duration_ms = 7, retry = true, "line one\nline two \u{1b}[31m");
    });
    let written = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(written.matches('\n').count(), 1, "{written}");
    let mut line: Value = serde_json::from_str(&written).unwrap();
    let time = line.as_object_mut().unwrap().remove("time").unwrap();
    assert!(time.as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{time}");
    assert_eq!(
        line,
        json!({
            "level": "warn",
            "message": "line one\nline two \\u{1b}[31m",
            "target": "codex_bridge::logging::tests",
            "span": "analyze:attempt",
            "session.id": "s1",
            "attempt": 1,
            "codex.pid": 42,
            "duration_ms": 7,
            "retry": true,
        })
    );
}

#[test]
fn a_dead_pipe_is_no_reason_to_panic() {
    let subscriber = tracing_subscriber::registry().with(json_layer(|| Dead));
    tracing::subscriber::with_default(subscriber, || tracing::error!("nobody reads this"));
}

#[test]
fn a_filter_is_read_or_refused() {
    for good in ["info", "debug", "info,codex_bridge::http=debug", "warn,hyper=off"] {
        assert!(filter(good).is_ok(), "{good}");
    }
    for bad in ["info,codex_bridge=loud", "a=b=c"] {
        assert!(filter(bad).is_err(), "{bad}");
    }
}
