//! A minimal reader of each protocol, which extracts the content of a turn.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::asked::{Asked, Protocol};
use crate::dialect::{Dialect, Reasoning};
use crate::turn::{Part, Turn, whole as joined};

/// What was understood.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) opaque: Option<String>,
    /// Name and arguments of each call.
    pub(super) calls: Vec<(String, Value)>,
    /// Input, output and total tokens.
    pub(super) tokens: Option<(u64, u64, u64)>,
    /// The reason to stop, if the end was seen.
    pub(super) end: Option<String>,
}

impl Heard {
    /// What should be understood of this turn.
    pub(super) fn of(turn: &Turn, asked: &Asked) -> Self {
        let usage = turn.usage;
        let hidden =
            asked.protocol == Protocol::Chat && asked.dialect.reasoning == Reasoning::Hidden;
        let mut heard = Self::default();
        for part in &turn.parts {
            match part {
                Part::Text(pieces) => heard.text += &joined(pieces),
                Part::Reasoning { shown, opaque } => {
                    if !hidden {
                        heard.reasoning += &joined(shown);
                    }
                    if asked.protocol != Protocol::Chat {
                        heard.opaque.clone_from(opaque);
                    }
                }
                Part::Call { name, arguments } => {
                    let arguments = serde_json::from_str(&joined(arguments)).unwrap();
                    heard.calls.push((name.clone(), arguments));
                }
                _ => {}
            }
        }
        heard.tokens = Some((
            usage.input_tokens,
            usage.output_tokens,
            usage.input_tokens + usage.output_tokens,
        ));
        heard.end = Some(match asked.protocol {
            Protocol::Responses => "completed".into(),
            Protocol::Messages => "tool_use".into(),
            Protocol::Chat => "tool_calls".into(),
            Protocol::Gemini => "STOP".into(),
        });
        heard
    }
}

/// Reads a stream.
pub(super) fn read(text: &str, asked: &Asked) -> Heard {
    let blocks = text.split("\n\n").flat_map(str::lines);
    let data: Vec<&str> = blocks.filter_map(|line| line.strip_prefix("data: ")).collect();
    let values = || {
        data.iter()
            .filter(|text| **text != "[DONE]")
            .map(|text| serde_json::from_str(text).unwrap())
    };
    match asked.protocol {
        Protocol::Responses => responses(values()),
        Protocol::Messages => messages(values()),
        Protocol::Chat => {
            let mut heard = chat(values(), asked);
            if data.last() != Some(&"[DONE]") {
                heard.end = None;
            }
            heard
        }
        Protocol::Gemini => gemini(values()),
    }
}

/// Reads a whole answer.
pub(super) fn whole(body: &Value, asked: &Asked) -> Heard {
    match asked.protocol {
        Protocol::Responses => response(body),
        Protocol::Messages => {
            let content = body["content"].as_array().unwrap();
            let blocks = content.iter().map(|block| json!({ "block": block }));
            let mut heard = Heard::default();
            blocks.for_each(|block| message_block(&mut heard, &block["block"]));
            heard.end = Some(body["stop_reason"].as_str().unwrap().to_owned());
            heard.tokens = message_tokens(&body["usage"]);
            heard
        }
        Protocol::Chat => {
            let choice = &body["choices"][0];
            let message = &choice["message"];
            let mut heard = Heard {
                text: text(&message["content"]),
                reasoning: text(&message["reasoning_content"]),
                end: Some(text(&choice["finish_reason"])),
                tokens: chat_tokens(&body["usage"], asked.dialect),
                ..Heard::default()
            };
            for call in message["tool_calls"].as_array().unwrap() {
                let arguments = text(&call["function"]["arguments"]);
                heard.calls.push((
                    text(&call["function"]["name"]),
                    serde_json::from_str(&arguments).unwrap(),
                ));
            }
            heard
        }
        Protocol::Gemini => gemini([body.clone()].into_iter()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn responses(events: impl Iterator<Item = Value>) -> Heard {
    let (mut heard, mut shown) = (Heard::default(), String::new());
    for event in events {
        match event["type"].as_str().unwrap() {
            "response.output_text.delta" => shown += event["delta"].as_str().unwrap(),
            "response.completed" => heard = response(&event["response"]),
            _ => {}
        }
    }
    if heard.end.is_some() {
        assert_eq!(heard.text, shown, "the deltas and the whole text differ");
    }
    heard
}

fn response(response: &Value) -> Heard {
    let mut heard = Heard { end: Some(text(&response["status"])), ..Heard::default() };
    for item in response["output"].as_array().unwrap() {
        match item["type"].as_str().unwrap() {
            "message" => heard.text += item["content"][0]["text"].as_str().unwrap(),
            "reasoning" => {
                heard.reasoning += &text(&item["summary"][0]["text"]);
                heard.opaque = item["encrypted_content"].as_str().map(str::to_owned);
            }
            "function_call" => {
                let arguments = serde_json::from_str(item["arguments"].as_str().unwrap());
                heard.calls.push((text(&item["name"]), arguments.unwrap()));
            }
            other => panic!("unknown item {other}"),
        }
    }
    let usage = |field: &str| response["usage"][field].as_u64().unwrap();
    heard.tokens = Some((usage("input_tokens"), usage("output_tokens"), usage("total_tokens")));
    heard
}

fn messages(events: impl Iterator<Item = Value>) -> Heard {
    let (mut heard, mut block, mut reason) = (Heard::default(), Value::Null, None);
    let mut input = String::new();
    for event in events {
        let delta = &event["delta"];
        let mut add = |field: &str, name: &str| {
            block[field] = json!(text(&block[field]) + &text(&delta[name]));
        };
        match event["type"].as_str().unwrap() {
            "content_block_start" => block = event["content_block"].clone(),
            "content_block_delta" => match delta["type"].as_str().unwrap() {
                "text_delta" => add("text", "text"),
                "thinking_delta" => add("thinking", "thinking"),
                "signature_delta" => add("signature", "signature"),
                _ => input += delta["partial_json"].as_str().unwrap(),
            },
            "content_block_stop" => {
                if !input.is_empty() {
                    block["input"] = serde_json::from_str(&std::mem::take(&mut input)).unwrap();
                }
                message_block(&mut heard, &block);
            }
            "message_delta" => {
                reason = delta["stop_reason"].as_str().map(str::to_owned);
                heard.tokens = message_tokens(&event["usage"]);
            }
            "message_stop" => heard.end = reason.take(),
            _ => {}
        }
    }
    heard
}

fn message_block(heard: &mut Heard, block: &Value) {
    match block["type"].as_str().unwrap() {
        "text" => heard.text += block["text"].as_str().unwrap(),
        "thinking" => {
            heard.reasoning += block["thinking"].as_str().unwrap();
            heard.opaque = block["signature"].as_str().map(str::to_owned);
        }
        "tool_use" => heard.calls.push((text(&block["name"]), block["input"].clone())),
        other => panic!("unknown block {other}"),
    }
}

fn message_tokens(usage: &Value) -> Option<(u64, u64, u64)> {
    let input = usage["input_tokens"].as_u64()? + usage["cache_read_input_tokens"].as_u64()?;
    let output = usage["output_tokens"].as_u64()?;
    Some((input, output, input + output))
}

fn chat(chunks: impl Iterator<Item = Value>, asked: &Asked) -> Heard {
    let mut heard = Heard::default();
    let mut calls: BTreeMap<u64, (String, String)> = BTreeMap::new();
    for chunk in chunks {
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        heard.text += &text(&delta["content"]);
        heard.reasoning += &text(&delta["reasoning_content"]);
        for (place, call) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index = call["index"].as_u64().unwrap_or(place as u64);
            let (name, arguments) = calls.entry(index).or_default();
            *name += &text(&call["function"]["name"]);
            *arguments += &text(&call["function"]["arguments"]);
        }
        heard.end = choice["finish_reason"].as_str().map(str::to_owned).or(heard.end);
        heard.tokens = chat_tokens(&chunk["usage"], asked.dialect).or(heard.tokens);
    }
    let parsed = |arguments: &str| serde_json::from_str(arguments).unwrap_or(Value::Null);
    heard.calls = calls.into_values().map(|(name, text)| (name, parsed(&text))).collect();
    heard
}

fn chat_tokens(usage: &Value, dialect: Dialect) -> Option<(u64, u64, u64)> {
    let apart = match dialect.reasoning_tokens {
        crate::dialect::ReasoningTokens::Within => 0,
        crate::dialect::ReasoningTokens::Apart => {
            usage["completion_tokens_details"]["reasoning_tokens"].as_u64()?
        }
    };
    let output = usage["completion_tokens"].as_u64()? + apart;
    Some((usage["prompt_tokens"].as_u64()?, output, usage["total_tokens"].as_u64()?))
}

fn gemini(chunks: impl Iterator<Item = Value>) -> Heard {
    let mut heard = Heard::default();
    for chunk in chunks {
        let candidate = &chunk["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            match part["functionCall"].as_object() {
                Some(call) => {
                    heard.calls.push((text(&call["name"]), part["functionCall"]["args"].clone()))
                }
                None if part["thought"] == true => heard.reasoning += &text(&part["text"]),
                None => heard.text += &text(&part["text"]),
            }
            heard.opaque = part["thoughtSignature"].as_str().map(str::to_owned).or(heard.opaque);
        }
        heard.end = candidate["finishReason"].as_str().map(str::to_owned);
        let usage = |field: &str| chunk["usageMetadata"][field].as_u64();
        if let (Some(input), Some(output), Some(thoughts), Some(total)) = (
            usage("promptTokenCount"),
            usage("candidatesTokenCount"),
            usage("thoughtsTokenCount"),
            usage("totalTokenCount"),
        ) {
            heard.tokens = Some((input, output + thoughts, total));
        }
    }
    heard
}
