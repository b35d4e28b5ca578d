//! OpenAI's Chat Completions with its dialects: the stream, the complete response,
//! errors, and refusals. Forms as recorded from OpenAI, DeepSeek, Alibaba, Moonshot, xAI.

mod calls;
mod pairs;

use std::time::Duration;

use serde_json::{Value, json};

use super::history::{of_role, text_of};
use super::openai_error::{self, OwnWords};
use crate::asked::Asked;
use crate::dialect::{Reasoning, ReasoningTokens, UsagePlace};
use crate::event::Events;
use crate::provider_error::ProviderError;
use crate::turn::{End, Part, Piece, Turn, whole};

pub(super) use pairs::refused;

/// The time in the chunks, in seconds since 1970: constant, so that streams can be
/// compared.
const CREATED: u64 = 1_770_933_892;

/// The stream of a turn.
pub(super) fn events(turn: &Turn, asked: &Asked) -> Events {
    let mut stream = Stream { events: Events::default(), asked };
    stream.delta(
        Duration::ZERO,
        match asked.dialect.reasoning {
            Reasoning::Hidden => json!({ "role": "assistant", "content": "", "refusal": null }),
            Reasoning::Shown => {
                json!({ "role": "assistant", "content": null, "reasoning_content": "" })
            }
        },
    );
    let mut begun = 0;
    for run in turn.parts.chunk_by(|one, next| is_call(one) && is_call(next)) {
        if is_call(&run[0]) {
            for (pause, list) in calls::chunks(run, asked, begun) {
                stream.delta(pause, json!({ "tool_calls": list }));
            }
            begun += run.len();
        }
        for part in run {
            stream.part(part);
        }
    }
    stream.events.end_begins();
    stream.finish(turn);
    stream.events
}

/// The turn as one response.
pub(super) fn completion(turn: &Turn, asked: &Asked) -> Value {
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    let text = joined(turn, |part| match part {
        Part::Text(pieces) => Some(whole(pieces)),
        _ => None,
    });
    let refusal = joined(turn, |part| match part {
        Part::Refusal(text) => Some(text.clone()),
        _ => None,
    });
    let reasoning = joined(turn, |part| match part {
        Part::Reasoning { shown, .. } => Some(whole(shown)),
        _ => None,
    });
    message["content"] = json!(text);
    message["refusal"] = json!(refusal);
    if asked.dialect.reasoning == Reasoning::Shown {
        message["reasoning_content"] = json!(reasoning);
    }
    if turn.calls() {
        message["tool_calls"] = json!(calls::whole_list(turn, asked));
    }
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(turn),
    });
    let mut completion = frame(asked, "chat.completion", json!([choice]));
    completion["usage"] = usage(turn, asked);
    completion
}

/// The status and the body of an error.
pub(super) fn error(error: &ProviderError, asked: &Asked) -> (u16, Value) {
    let own = OwnWords {
        model_unknown: format!(
            "The model `{}` does not exist or you do not have access to it.",
            asked.model
        ),
        too_long: asked.dialect.too_long,
        overloaded: (None, "The engine is currently overloaded, please try again later."),
        server: (None, "The server had an error while processing your request. Sorry about that!"),
    };
    openai_error::error(error, &own)
}

/// The error as an event inside a stream.
pub(super) fn error_event(provider_error: &ProviderError, asked: &Asked) -> String {
    format!("data: {}\n\n", error(provider_error, asked).1)
}

/// The texts of the results.
pub(super) fn results(body: &Value) -> Vec<String> {
    of_role(&body["messages"], "tool").map(|message| text_of(&message["content"])).collect()
}

/// Builds a stream.
struct Stream<'a> {
    events: Events,
    asked: &'a Asked,
}

impl Stream<'_> {
    fn part(&mut self, part: &Part) {
        match part {
            Part::Call { .. } => {}
            Part::Text(pieces) => self.pieces(pieces, |text| json!({ "content": text })),
            Part::Refusal(text) => self.delta(Duration::ZERO, json!({ "refusal": text })),
            Part::Reasoning { shown, .. } => {
                if self.asked.dialect.reasoning == Reasoning::Shown {
                    self.pieces(
                        shown,
                        |text| json!({ "content": null, "reasoning_content": text }),
                    );
                }
            }
            // In this protocol, an event without content is an empty delta.
            Part::KeepAlive(pause) => self.delta(*pause, json!({ "content": "" })),
            Part::Comment(pause) => self.events.comment(*pause),
        }
    }

    fn pieces(&mut self, pieces: &[Piece], delta: impl Fn(&str) -> Value) {
        for piece in pieces {
            self.delta(piece.pause, delta(&piece.text));
        }
    }

    fn delta(&mut self, pause: Duration, delta: Value) {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null });
        self.events.data(pause, &chunk(self.asked, json!([choice])));
    }

    fn finish(&mut self, turn: &Turn) {
        let place = self.asked.dialect.usage;
        let usage = usage(turn, self.asked);
        let mut choice = json!({
            "index": 0, "delta": {}, "logprobs": null, "finish_reason": finish_reason(turn),
        });
        if place == UsagePlace::InChoice {
            choice["usage"] = usage.clone();
        }
        let mut last = chunk(self.asked, json!([choice]));
        if matches!(place, UsagePlace::WithFinish | UsagePlace::InChoice) {
            last["usage"] = usage.clone();
        }
        self.events.data(Duration::ZERO, &last);
        let wanted = match place {
            UsagePlace::LastChunkIfAsked => {
                self.asked.body["stream_options"]["include_usage"] == true
            }
            UsagePlace::LastChunk => true,
            UsagePlace::WithFinish | UsagePlace::InChoice => false,
        };
        if wanted {
            let mut chunk = chunk(self.asked, json!([]));
            chunk["usage"] = usage;
            self.events.data(Duration::ZERO, &chunk);
        }
        self.events.push(Duration::ZERO, "data: [DONE]\n\n".to_owned());
    }
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::Call { .. })
}

fn chunk(asked: &Asked, choices: Value) -> Value {
    let mut chunk = frame(asked, "chat.completion.chunk", choices);
    chunk["usage"] = Value::Null;
    chunk
}

fn frame(asked: &Asked, object: &str, choices: Value) -> Value {
    json!({
        "id": format!("chatcmpl-{:06}", asked.number), "object": object, "created": CREATED,
        "model": asked.model, "system_fingerprint": "fp_mock", "choices": choices,
    })
}

/// The text of all parts of one kind in the turn; none if there is no such part.
fn joined(turn: &Turn, of: impl Fn(&Part) -> Option<String>) -> Option<String> {
    turn.parts.iter().filter_map(of).reduce(|all, next| all + &next)
}

fn finish_reason(turn: &Turn) -> &str {
    match &turn.end {
        End::Done if turn.calls() => "tool_calls",
        End::Done => "stop",
        End::Length => "length",
        End::Filtered => "content_filter",
        End::Named(reason) => reason,
    }
}

fn usage(turn: &Turn, asked: &Asked) -> Value {
    let usage = turn.usage;
    let output = match asked.dialect.reasoning_tokens {
        ReasoningTokens::Within => usage.output_tokens,
        ReasoningTokens::Apart => usage.output_tokens.saturating_sub(usage.reasoning_tokens),
    };
    let mut told = json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": output,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": { "cached_tokens": usage.cached_input_tokens },
        "completion_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
    });
    // DeepSeek reports the cached tokens in two more fields.
    if asked.dialect.usage == UsagePlace::WithFinish {
        told["prompt_cache_hit_tokens"] = json!(usage.cached_input_tokens);
        told["prompt_cache_miss_tokens"] =
            json!(usage.input_tokens.saturating_sub(usage.cached_input_tokens));
    }
    told
}

#[cfg(test)]
mod tests;
