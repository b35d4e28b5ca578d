//! One answer as each provider streams it: a thought, Chinese text, two parallel calls with split
//! arguments, usage. The shapes follow published recordings of the providers' streams; the words are
//! ours. Zhipu has no recording: its stream follows its documentation.

use serde_json::json;

use crate::answer::{Answer, Asked};
use crate::arguments::Arguments;
use crate::catalogue::Protocol;
use crate::event::{Reason, Usage};
use crate::id::Provider;
use crate::message::{Opaque, Part};

/// A provider's stream and what is special about it.
pub(super) struct Stream {
    pub(super) name: &'static str,
    pub(super) kind: (Protocol, Provider),
    pub(super) data: &'static [&'static str],
    thought: bool,
    ids: [&'static str; 2],
    usage: Usage,
}

impl Stream {
    pub(super) fn text(&self) -> String {
        super::sse(self.data)
    }

    /// The answer is the one that all streams give.
    pub(super) fn check(&self, answer: &Answer) {
        let name = self.name;
        assert_eq!(answer.reason, Reason::Calls, "{name}");
        assert_eq!(answer.usage, self.usage, "{name}");
        let mut parts = answer.parts.iter();
        if self.thought {
            let Some(Part::Reasoning { shown, opaque }) = parts.next() else {
                panic!("{name}: {answer:?}")
            };
            assert_eq!(shown, "先想", "{name}");
            let provider = opaque.as_ref().map(|opaque| opaque.provider);
            // Gemini's signature stands at the call.
            assert_eq!(provider, (name != "google").then_some(self.kind.1), "{name}");
        }
        let rest: Vec<&Part<Asked>> = parts.collect();
        let [Part::Text { text, .. }, Part::Call(read), Part::Call(grep)] = rest[..] else {
            panic!("{name}: {answer:?}")
        };
        assert_eq!(text, "你好，我看一下。", "{name}");
        assert_eq!([&*read.id, &*grep.id], self.ids, "{name}");
        assert_eq!([&*read.name, &*grep.name], ["readFile", "grep"], "{name}");
        let object = |value: serde_json::Value| Arguments::of(value);
        assert_eq!(read.arguments, object(json!({"filePath": "src/主.rs"})), "{name}");
        assert_eq!(grep.arguments, object(json!({"pattern": "f\n\"多\"", "context": 2})), "{name}");
        let signature = Opaque { provider: Provider::Google, value: json!("c2ln") };
        assert_eq!(read.opaque, (name == "google").then_some(signature), "{name}");
        assert_eq!(grep.opaque, None, "{name}");
    }
}

const fn usage(input: u64, cached: u64, output: u64, reasoning: u64) -> Usage {
    Usage { input, cached, cache_written: 0, output, reasoning }
}

/// All nine, and the Responses protocol.
pub(super) const STREAMS: &[Stream] = &[
    Stream {
        name: "anthropic",
        kind: (Protocol::Messages, Provider::Anthropic),
        thought: true,
        ids: ["toolu_01A", "toolu_01B"],
        usage: Usage { input: 130, cached: 100, cache_written: 20, output: 41, reasoning: 0 },
        data: &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"先"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"想"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"你好，"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"我看一下。"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_01A","name":"readFile","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"filePath\": \"src/"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"主.rs\"}"}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_01B","name":"grep","input":{}}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"pattern\": \"f\\n\\\"多\\"}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"\", \"context\": 2}"}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":41}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    },
    Stream {
        name: "openai",
        kind: (Protocol::Chat, Provider::Openai),
        thought: false,
        ids: ["call_a", "call_b"],
        usage: usage(120, 64, 30, 8),
        data: &[
            r#"{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"你好，"},"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"我看一下。"},"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"readFile","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"grep","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"pattern\":\"f\\n\\\"多"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"filePath\":\"src/主.rs\"}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\\\"\",\"context\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":8}}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "deepseek",
        kind: (Protocol::Chat, Provider::Deepseek),
        thought: true,
        ids: ["call_00_x", "call_01_y"],
        usage: usage(120, 64, 30, 8),
        data: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"先"},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"想"},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"你好，我看一下。","reasoning_content":null},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_00_x","type":"function","function":{"name":"readFile","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"file"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"Path\":\"src/主.rs\"}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_01_y","type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"con"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"text\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":8},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":56}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "alibaba",
        kind: (Protocol::Chat, Provider::Alibaba),
        thought: false,
        ids: ["call_q1", "call_q2"],
        usage: usage(120, 0, 30, 0),
        data: &[
            r#"{"choices":[{"delta":{"content":"你好，","role":"assistant"},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":"我看一下。"},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"call_q1","type":"function","function":{"name":"readFile","arguments":"{\"filePath\": "}}]},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"\"src/主.rs\"}"}}]},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":1,"id":"call_q2","type":"function","function":{"name":"grep","arguments":""}}]},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":1,"id":"","type":"function","function":{"arguments":"{\"pattern\": \"f\\n\\\"多\\\"\", "}}]},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":1,"id":"","type":"function","function":{"arguments":"\"context\": 2}"}}]},"index":0,"finish_reason":null}],"usage":null}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":1,"id":"","type":"function","function":{"arguments":null}}]},"index":0,"finish_reason":"tool_calls"}],"usage":null}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":0}}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "google",
        kind: (Protocol::Gemini, Provider::Google),
        thought: true,
        ids: ["made_0", "made_1"],
        usage: usage(120, 64, 30, 8),
        data: &[
            r#"{"candidates":[{"content":{"parts":[{"text":"先想","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":120,"totalTokenCount":128,"thoughtsTokenCount":8}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"你好，"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":2,"thoughtsTokenCount":8}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"我看一下。"}],"role":"model"},"index":0}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"readFile","args":{"filePath":"src/主.rs"}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"grep","args":{"pattern":"f\n\"多\"","context":2}}}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":20,"thoughtsTokenCount":8}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":22,"totalTokenCount":150,"cachedContentTokenCount":64,"thoughtsTokenCount":8},"modelVersion":"gemini-2.5-pro"}"#,
        ],
    },
    Stream {
        name: "xai",
        kind: (Protocol::Chat, Provider::Xai),
        thought: true,
        ids: ["call_x1", "call_x2"],
        usage: usage(291, 4, 222, 196),
        data: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"先"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"reasoning_content":"想"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"你好，我看一下。"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_x1","function":{"name":"readFile","arguments":"{\"filePath\":\"src/主.rs\"}"},"index":0,"type":"function"}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_x2","function":{"name":"grep","arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"context\":2}"},"index":1,"type":"function"}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":291,"completion_tokens":26,"total_tokens":513,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":196}}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "zhipu",
        kind: (Protocol::Chat, Provider::Zhipu),
        thought: true,
        ids: ["call_-88", "call_-89"],
        usage: usage(120, 64, 30, 0),
        data: &[
            r#"{"id":"2026","model":"glm-4-plus","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"先想"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"你好，我看一下。"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"id":"call_-88","index":0,"type":"function","function":{"name":"readFile","arguments":"{\"filePath\":\"src/主.rs\"}"}},{"id":"call_-89","index":1,"type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"context\":2}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"finish_reason":"tool_calls","delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64}}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "moonshotai",
        kind: (Protocol::Chat, Provider::Moonshotai),
        thought: true,
        ids: ["readFile:0", "grep:1"],
        usage: usage(120, 64, 30, 0),
        data: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"reasoning_content":"先想"},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"你好，我看一下。"},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"readFile:0","type":"function","function":{"name":"readFile","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{\"filePath\":\"src/主.rs\"}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"grep:1","type":"function","function":{"name":"grep","arguments":""}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"context\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls","usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"cached_tokens":64}}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"cached_tokens":64}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "custom",
        kind: (Protocol::Chat, Provider::Custom),
        thought: true,
        ids: ["made_0", "made_1"],
        usage: usage(120, 0, 30, 0),
        data: &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning":"先想","content":null},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"你好，我看一下。"}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"readFile","arguments":{"filePath":"src/主.rs"}}},{"function":{"name":"grep","arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"context\":2}"}}]},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150}}"#,
            "[DONE]",
        ],
    },
    Stream {
        name: "openai by responses",
        kind: (Protocol::Responses, Provider::Openai),
        thought: true,
        ids: ["call_a", "call_b"],
        usage: usage(120, 64, 30, 8),
        data: &[
            r#"{"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"先想"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"先想"}],"encrypted_content":"Z2Vo"}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"你好，"}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"我看一下。"}"#,
            r#"{"type":"response.output_text.done","output_index":1,"text":"你好，我看一下。"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"你好，我看一下。"}]}}"#,
            r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_a","name":"readFile","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"filePath\":"}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"\"src/主.rs\"}"}"#,
            r#"{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"filePath\":\"src/主.rs\"}"}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_a","name":"readFile","arguments":"{\"filePath\":\"src/主.rs\"}"}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_b","name":"grep","arguments":"{\"pattern\":\"f\\n\\\"多\\\"\",\"context\":2}"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":64},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":8},"total_tokens":150}}}"#,
        ],
    },
];
