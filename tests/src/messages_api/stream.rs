//! A reply as the Messages API sends it: one JSON message, or server-sent events.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::script::Reply;

/// The whole message, with ids from `serial`, which is unique for each request.
pub(super) fn message(reply: &Reply, model: &Value, serial: usize) -> Value {
    let content = reply.content.iter().enumerate().map(|(index, block)| {
        let mut block = block.clone();
        if block["type"] == "tool_use" {
            block["id"] = json!(format!("toolu_{serial:06}{index:02}"));
        }
        block
    });
    json!({
        "id": format!("msg_{serial:06}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content.collect::<Vec<_>>(),
        "stop_reason": reply.stop_reason(),
        "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    })
}

/// The same message as a stream.
pub(super) fn events(message: &Value) -> String {
    let mut stream = String::new();
    let mut send = |event: Value| {
        let name = event["type"].as_str().expect("every event below has a type");
        let _ = write!(stream, "event: {name}\ndata: {event}\n\n");
    };
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    send(json!({"type": "message_start", "message": start}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "tool_use" {
            empty["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
        } else {
            empty["text"] = json!("");
            json!({"type": "text_delta", "text": block["text"]})
        };
        send(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        send(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        send(json!({"type": "content_block_stop", "index": index}));
    }
    send(json!({
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": null},
        "usage": {"output_tokens": 20},
    }));
    send(json!({"type": "message_stop"}));
    stream
}
