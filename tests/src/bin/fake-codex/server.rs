//! `codex app-server` for one turn: the requests that the bridge makes, and the notifications that correspond to the
//! events of `exec` (codex 0.169).

use std::io::{self, BufRead as _, Write as _};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::cli::Refusal;
use crate::mode::Mode;
use crate::stream::Stream;
use crate::thread::{self, Thread};
use crate::{trouble, turn};

/// The turn that the notifications belong to.
#[derive(Debug)]
pub(crate) struct Server {
    thread: String,
    turn: String,
}

/// Answers requests until a turn is started, runs it, and waits for the end of stdin.
pub(crate) fn serve() -> Result<u8, Refusal> {
    let home = thread::home()?;
    let mut lines = io::stdin().lock().lines();
    let mut thread = None;
    while let Some(Ok(line)) = lines.next() {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let (id, params) = (&request["id"], &request["params"]);
        match request["method"].as_str() {
            Some("initialize") => tell(&json!({ "id": id, "result": { "userAgent": "fake" } })),
            Some(method @ ("thread/start" | "thread/resume" | "thread/fork")) => {
                let named = params["threadId"].as_str().unwrap_or_default();
                let opened = match method {
                    "thread/start" => Ok(Thread::fresh(&home)),
                    "thread/resume" => Thread::resume(&home, named),
                    _ => Thread::fork(&home, named),
                };
                match opened {
                    Ok(opened) => {
                        tell(&json!({ "id": id, "result": opening(&opened.id) }));
                        thread = Some((opened, method != "thread/start"));
                    }
                    Err(refusal) => tell(&refused(id, &refusal)),
                }
            }
            Some("turn/start") => {
                let prompt = params["input"][0]["text"].as_str().unwrap_or_default().to_owned();
                let Some((mut thread, is_resumed)) = thread.take() else { continue };
                let mode = Mode::find(&prompt);
                if mode == Mode::Hang {
                    return trouble::forever();
                }
                if let Err(refusal) = thread.ask(prompt) {
                    tell(&refused(id, &refusal));
                    continue;
                }
                let server = Server { thread: thread.id.clone(), turn: Uuid::now_v7().to_string() };
                tell(&json!({ "id": id, "result": { "turn": { "id": server.turn } } }));
                turn::play(&mode, &mut thread, is_resumed, Stream::of(server))?;
                if mode == Mode::Silent {
                    return Ok(0);
                }
            }
            _ => {}
        }
    }
    Ok(0)
}

fn opening(thread: &str) -> Value {
    json!({
        "thread": { "id": thread },
        "sandbox": { "type": "readOnly", "networkAccess": false },
        "approvalPolicy": "never",
        "instructionSources": [],
    })
}

fn refused(id: &Value, Refusal(_, message): &Refusal) -> Value {
    let message = message.trim_start_matches("Error: ");
    json!({ "id": id, "error": { "code": -32600, "message": message } })
}

fn tell(message: &Value) {
    // The end of stdin shows that the bridge is gone.
    let _ = writeln!(io::stdout(), "{message}");
}

impl Server {
    /// The notifications for an event of `exec`; none if there is no equivalent.
    pub(crate) fn notices(&self, event: &Value) -> Vec<Value> {
        let item = &event["item"];
        match (event["type"].as_str(), item["type"].as_str()) {
            (Some("thread.started"), _) => Vec::new(),
            (Some("turn.started"), _) => {
                vec![self.notice("turn/started", json!({ "turn": { "id": self.turn } }))]
            }
            (Some("item.completed"), Some("agent_message")) => {
                let text = item["text"].as_str().unwrap_or_default();
                let said = |text: &str| json!({ "type": "agentMessage", "id": "m", "text": text });
                let half = text.floor_char_boundary(text.len() / 2);
                let delta =
                    |piece: &str| self.notice("item/agentMessage/delta", json!({ "delta": piece }));
                vec![
                    delta(&text[..half]),
                    delta(&text[half..]),
                    self.notice("item/completed", json!({ "item": said(text) })),
                ]
            }
            (Some("item.completed"), Some("error")) => {
                vec![self.notice("warning", json!({ "message": item["message"] }))]
            }
            (Some("error"), _) => {
                let error = json!({ "message": event["message"], "codexErrorInfo": "other" });
                vec![self.notice("error", json!({ "error": error, "willRetry": true }))]
            }
            (Some("turn.completed"), _) => {
                let usage = &event["usage"];
                let total = json!({
                    "inputTokens": usage["input_tokens"],
                    "cachedInputTokens": usage["cached_input_tokens"],
                    "outputTokens": usage["output_tokens"],
                    "reasoningOutputTokens": usage["reasoning_output_tokens"],
                });
                let usage = json!({ "tokenUsage": { "total": total } });
                vec![
                    self.notice("thread/tokenUsage/updated", usage),
                    self.ended("completed", &Value::Null),
                ]
            }
            (Some("turn.failed"), _) => {
                let message = &event["error"]["message"];
                let error = json!({ "message": message, "codexErrorInfo": "other" });
                vec![self.ended("failed", &error)]
            }
            // An unknown event becomes an unknown notification.
            _ => vec![self.notice("a/method/of/tomorrow", json!({ "event": event }))],
        }
    }

    fn ended(&self, status: &str, error: &Value) -> Value {
        let turn = json!({ "id": self.turn, "items": [], "status": status, "error": error });
        json!({ "method": "turn/completed", "params": { "threadId": self.thread, "turn": turn } })
    }

    fn notice(&self, method: &str, mut params: Value) -> Value {
        params["threadId"] = json!(self.thread);
        params["turnId"] = json!(self.turn);
        json!({ "method": method, "params": params })
    }
}
