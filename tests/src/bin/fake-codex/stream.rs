//! Events on stdout, as `codex exec --json` prints them, or as notifications of an app-server.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::server::Server;
use crate::thread::Usage;

/// Prints events and numbers items.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The number of the next item.
    items: u32,
    /// The app-server that prints notifications instead, if any.
    server: Option<Server>,
}

impl Stream {
    /// A stream of an app-server's turn.
    pub(crate) fn of(server: Server) -> Self {
        Self { items: 0, server: Some(server) }
    }

    /// Prints raw bytes. The real Codex panics on a closed pipe, with this code.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            std::process::exit(101);
        }
    }

    pub(crate) fn event(&self, event: &Value) {
        match &self.server {
            None => self.raw(format!("{event}\n").as_bytes()),
            Some(server) => {
                for notice in server.notices(event) {
                    self.raw(format!("{notice}\n").as_bytes());
                }
            }
        }
    }

    pub(crate) fn thread_started(&self, thread_id: &str) {
        self.event(&json!({"type": "thread.started", "thread_id": thread_id}));
    }

    pub(crate) fn turn_started(&self) {
        self.event(&json!({"type": "turn.started"}));
        log(r#"event.name="codex.user_prompt" prompt_length=3 prompt=[REDACTED]"#);
    }

    pub(crate) fn message(&mut self, text: &str) {
        log(concat!(
            r#"event.name="codex.api_request" duration_ms=9 http.response.status_code=200"#,
            r#" attempt=0 endpoint="/responses""#,
        ));
        log(r#"event.name="codex.sse_event" event.kind=response.completed duration_ms=0"#);
        let id = self.item_id();
        let item = json!({"id": id, "type": "agent_message", "text": text});
        self.event(&json!({"type": "item.completed", "item": item}));
    }

    /// A warning: an item of type `error`, which is not fatal.
    pub(crate) fn warning(&mut self, message: &str) {
        let id = self.item_id();
        let item = json!({"id": id, "type": "error", "message": message});
        self.event(&json!({"type": "item.completed", "item": item}));
    }

    /// An error at the top level, which may be transient.
    pub(crate) fn error(&self, message: &str) {
        self.event(&json!({"type": "error", "message": message}));
    }

    pub(crate) fn completed(&self, usage: &Usage) {
        self.event(&json!({"type": "turn.completed", "usage": usage}));
    }

    pub(crate) fn failed(&self, message: &str) {
        self.error(message);
        self.event(&json!({"type": "turn.failed", "error": {"message": message}}));
    }

    pub(crate) fn item_id(&mut self) -> String {
        self.items += 1;
        format!("item_{}", self.items - 1)
    }
}

/// Prints a log record on stderr, if logging is enabled (codex 0.169).
fn log(fields: &str) {
    if std::env::var("RUST_LOG").is_ok_and(|filter| filter.contains("codex_otel.log_only=info")) {
        let line = format!(
            "2026-11-22T06:10:30.255576Z  INFO codex_otel.log_only: {fields} \
             event.timestamp=2026-11-22T06:10:30.255Z conversation.id=01a201e0 app.version=0.169.0\n"
        );
        // A closed stderr does not prevent an answer.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
