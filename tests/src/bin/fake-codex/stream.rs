//! Events on stdout, as `codex exec --json` prints them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::thread::Usage;

/// Prints events; counts items.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The number of the next item.
    items: u32,
}

impl Stream {
    /// Prints raw bytes. The real Codex panics on a closed pipe, with this code.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            std::process::exit(101);
        }
    }

    pub(crate) fn event(&self, event: &Value) {
        self.raw(format!("{event}\n").as_bytes());
    }

    pub(crate) fn thread_started(&self, thread_id: &str) {
        self.event(&json!({"type": "thread.started", "thread_id": thread_id}));
    }

    pub(crate) fn turn_started(&self) {
        self.event(&json!({"type": "turn.started"}));
    }

    pub(crate) fn message(&mut self, text: &str) {
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
