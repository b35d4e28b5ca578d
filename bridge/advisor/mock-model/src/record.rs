//! Records the requests for tests. Limited: the oldest are dropped.

use std::collections::VecDeque;

use bytes::Bytes;
use serde_json::Value;

use crate::asked::Protocol;
use crate::wire;

/// How many bytes of bodies are kept: some thousand questions of usual size.
const KEPT_MAX_BYTES: usize = 32 * 1024 * 1024;

/// How many requests are kept, however small.
const KEPT_MAX: usize = 8_192;

/// A received request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Such as `POST`.
    pub method: String,
    /// Such as `/v1/messages?beta=true`.
    pub path: String,
    /// Names in lower case, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The exact bytes.
    pub body: Bytes,
}

impl Recorded {
    /// The first header of this (lower-case) name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` if it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The protocol, by the path.
    #[must_use]
    pub fn protocol(&self) -> Option<Protocol> {
        Protocol::of(&self.path)
    }

    /// The user's texts, oldest first: each `user` message of the conversation. A path
    /// that belongs to no protocol is treated as one of `responses`.
    #[must_use]
    pub fn user_texts(&self) -> Vec<String> {
        wire::user_texts(self.spoken(), &self.json())
    }

    /// The number of the model's answers in this conversation: scripts count turns by it, so
    /// that a repeated request gets the same reply.
    #[must_use]
    pub fn answers(&self) -> usize {
        wire::answers(self.spoken(), &self.json())
    }

    /// The texts of the results of calls, oldest first.
    #[must_use]
    pub fn results(&self) -> Vec<String> {
        wire::results(self.spoken(), &self.json())
    }

    fn spoken(&self) -> Protocol {
        self.protocol().unwrap_or(Protocol::Responses)
    }

    /// The tools offered to the model: the name of each, or its type if it has no name.
    ///
    /// Codex 0.169 puts them into `tools`, and for its newer models into an `additional_tools`
    /// item of the conversation, grouped in namespaces. Both places are read.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        let body = self.json();
        let items = body["input"].as_array().into_iter().flatten();
        let mut names = Vec::new();
        for place in std::iter::once(&body).chain(items) {
            collect_tools(&place["tools"], &mut names);
        }
        names
    }
}

/// A namespace is replaced by the tools in it.
fn collect_tools(tools: &Value, names: &mut Vec<String>) {
    for tool in tools.as_array().into_iter().flatten() {
        match tool.get("tools").or(tool.get("functionDeclarations")) {
            Some(inner) => collect_tools(inner, names),
            None => {
                let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
                let word = name.or(tool["type"].as_str()).or(tool.as_str());
                names.push(word.unwrap_or("?").to_owned());
            }
        }
    }
}

/// The latest requests, and the total number.
#[derive(Debug, Default)]
pub(crate) struct Log {
    kept: VecDeque<Recorded>,
    bytes: usize,
    seen: u64,
}

impl Log {
    pub(crate) fn push(&mut self, request: Recorded) {
        self.seen += 1;
        self.bytes += request.body.len();
        self.kept.push_back(request);
        while self.kept.len() > KEPT_MAX || (self.bytes > KEPT_MAX_BYTES && self.kept.len() > 1) {
            let oldest = self.kept.pop_front().expect("the loop's condition says it is not empty");
            self.bytes -= oldest.body.len();
        }
    }

    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn all(&self) -> Vec<Recorded> {
        self.kept.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Bytes) -> Recorded {
        Recorded { method: "POST".into(), path: "/".into(), headers: Vec::new(), body }
    }

    #[test]
    fn the_log_keeps_the_newest_and_counts_all() {
        let mut log = Log::default();
        let half = Bytes::from(vec![b'x'; KEPT_MAX_BYTES / 2]);
        for _ in 0..5 {
            log.push(request(half.clone()));
        }
        assert_eq!((log.seen(), log.all().len()), (5, 2));

        log.push(request(Bytes::from(vec![b'x'; KEPT_MAX_BYTES + 1])));
        assert_eq!((log.seen(), log.all().len()), (6, 1));
    }

    #[test]
    fn what_the_user_said_is_read_from_the_conversation() {
        let body = serde_json::json!({
            "input": [
                { "role": "developer", "content": [{ "type": "input_text", "text": "rules" }] },
                { "role": "user", "content": [{ "text": "one" }, { "text": "two" }] },
                { "role": "assistant", "content": [{ "type": "output_text", "text": "answer" }] },
                { "role": "user", "content": [{ "text": "three" }] },
                { "type": "additional_tools", "role": "developer", "tools": [
                    { "type": "namespace", "name": "functions", "tools": [{ "name": "exec" }] },
                ] },
            ],
            "tools": [{ "type": "custom", "name": "apply_patch" }, { "type": "web_search" }],
        });
        let recorded = request(Bytes::from(body.to_string()));
        assert_eq!(recorded.user_texts(), ["one\ntwo", "three"]);
        assert_eq!(recorded.tools(), ["apply_patch", "web_search", "exec"]);
        assert_eq!(request(Bytes::from_static(b"{")).user_texts(), Vec::<String>::new());
    }
}
