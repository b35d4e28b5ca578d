//! Requests: what a body holds for whom, and that it only grows at its end.

use serde_json::{Map, Value, json};

use super::super::{Target, body};
use crate::catalogue::{Catalogue, Protocol};
use crate::id::Provider;
use crate::message::{Call, CallResult, Content, Message, Opaque, Part};
use crate::request::{Request, Tool};

fn target(id: &str) -> Target {
    let id: crate::id::ModelId = id.parse().unwrap();
    let catalogue = Catalogue::built_in();
    Target { quirks: catalogue.quirks(&id), limits: catalogue.limits(&id), id }
}

fn made(id: &str, request: &Request) -> Value {
    let target = target(id);
    body(Catalogue::built_in().protocol(&target.id), &target, request)
}

fn user(text: &str) -> Message {
    Message::User(vec![Content::Text(text.into())])
}

/// What `provider` wants back with its reasoning.
fn thought(provider: Provider) -> Part {
    let value = match provider {
        Provider::Anthropic => {
            json!({"type": "thinking", "thinking": "先想", "signature": "c2ln"})
        }
        Provider::Openai => json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "Z2Vo"}),
        _ => json!({"reasoning_content": "先想"}),
    };
    Part::Reasoning { shown: "先想".into(), opaque: Some(Opaque { provider, value }) }
}

fn call(id: &str, arguments: Value, opaque: Option<Opaque>, result: CallResult) -> Part {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    Part::Call(Call { id: id.into(), name: "readFile".into(), arguments, opaque, result })
}

/// A conversation in which `provider` thought, and called twice.
fn conversation(provider: Provider, id: &str) -> Vec<Message> {
    let signature =
        (provider == Provider::Google).then(|| Opaque { provider, value: "c2ln".into() });
    vec![
        user("看看 `main.rs`"),
        Message::Answer(vec![
            thought(provider),
            Part::Text { text: "好。".into(), opaque: None },
            call(id, json!({"filePath": "a.rs"}), signature, CallResult::Done("1\tfn main".into())),
            call("", json!(null), None, CallResult::Failed("filePath is missing".into())),
        ]),
        user("继续"),
    ]
}

fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str| Tool {
        name: name.into(),
        description: format!("{name}."),
        schema: json!({
            "type": "object",
            "properties": {"filePath": {"type": "string"}},
            "required": ["filePath"],
            "additionalProperties": false,
        }),
    };
    Request {
        system: "You are xc.".into(),
        tools: vec![tool("readFile"), tool("grep")],
        messages,
        output_limit: None,
        thinking: None,
    }
}

/// One model of each provider, and one by Responses.
const MODELS: [(&str, Provider); 10] = [
    ("anthropic:claude-sonnet-4-5", Provider::Anthropic),
    ("openai:o3", Provider::Openai),
    ("openai:gpt-5", Provider::Openai),
    ("deepseek:deepseek-chat", Provider::Deepseek),
    ("alibaba:qwen-max", Provider::Alibaba),
    ("google:gemini-2.5-pro", Provider::Google),
    ("xai:grok-3", Provider::Xai),
    ("zhipu:glm-4-plus", Provider::Zhipu),
    ("moonshotai:kimi-k2.5", Provider::Moonshotai),
    ("custom:foo-high", Provider::Custom),
];

#[test]
fn messages_body() {
    let request = request(conversation(Provider::Anthropic, "toolu_1"));
    insta::assert_json_snapshot!(made("anthropic:claude-sonnet-4-5", &request));
}

#[test]
fn chat_body() {
    let mut request = request(conversation(Provider::Moonshotai, "readFile:0"));
    request.output_limit = Some(4_000);
    insta::assert_json_snapshot!(made("moonshotai:kimi-k2.5", &request));
}

#[test]
fn gemini_body() {
    let mut request = request(conversation(Provider::Google, "made_0"));
    request.thinking = Some(2_048);
    insta::assert_json_snapshot!(made("google:gemini-2.5-pro", &request));
}

#[test]
fn responses_body() {
    let request = request(conversation(Provider::Openai, "call_1"));
    insta::assert_json_snapshot!(made("openai:gpt-5", &request));
}

/// The body as it is sent, without cache breakpoints, up to the end of the conversation.
fn beginning(id: &str, request: &Request) -> String {
    let body = made(id, request).to_string();
    let body = body.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    let end = body.rfind(']').unwrap();
    body[..end].to_owned()
}

/// A cache of a provider counts only for equal beginnings.
#[test]
fn each_body_begins_with_the_one_before_it() {
    for (id, provider) in MODELS {
        let mut messages = conversation(provider, "call_1");
        messages.extend(conversation(Provider::Xai, "x"));
        let whole = request(messages.clone());
        for end in 1..messages.len() {
            let shorter = request(messages[..end].to_vec());
            let (one, other) = (beginning(id, &shorter), beginning(id, &whole));
            assert!(other.starts_with(&one), "{id}, {end} messages:\n{one}\n{other}");
        }
        assert_eq!(made(id, &whole).to_string(), made(id, &whole).to_string());
    }
}

/// docs/MODELS.md, hazard 1.
#[test]
fn hazard_1_the_name_of_the_model_is_sent_as_it_is() {
    for (id, _) in MODELS {
        let (_, name) = id.split_once(':').unwrap();
        let body = made(id, &request(vec![user("x")]));
        match Catalogue::built_in().protocol(&id.parse().unwrap()) {
            Protocol::Gemini => {
                let path = super::super::path(Protocol::Gemini, name);
                assert_eq!(path, "/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
            }
            _ => assert_eq!(body["model"], *name),
        }
        for name in ["temperature", "reasoning_effort", "tool_choice"] {
            assert!(body.get(name).is_none(), "{id}: {name}");
        }
    }
    let path = super::super::path(Protocol::Gemini, "a/../b?key=1#x");
    assert_eq!(path, "/models/a%2F..%2Fb%3Fkey%3D1%23x:streamGenerateContent?alt=sse");
}

/// Whatever is thought at one provider is never sent to another.
#[test]
fn opaque_parts_return_to_their_own_provider_only() {
    for (id, provider) in MODELS {
        for (_, from) in MODELS {
            let text = made(id, &request(conversation(from, "call_1"))).to_string();
            let is_own = provider == from;
            let is_sent = ["c2ln", "Z2Vo", "先想"].iter().any(|word| text.contains(word));
            let returns = match id {
                "openai:o3" | "alibaba:qwen-max" | "xai:grok-3" | "zhipu:glm-4-plus" => false,
                "custom:foo-high" => false,
                _ => is_own,
            };
            assert_eq!(is_sent, returns, "{from} to {id}: {text}");
            assert!(text.contains("好。"), "the text goes to every provider");
        }
    }
}

/// Every call has one result behind it, every result its call, and arguments are objects.
fn check_pairs(id: &str, body: &Value) {
    let mut open: Vec<String> = Vec::new();
    let mut answered = 0;
    let mut meet = |is_call: bool, id: &Value| {
        let id = id.as_str().unwrap().to_owned();
        if is_call {
            open.push(id);
        } else {
            let at = open.iter().position(|open| *open == id).expect("the result has its call");
            open.remove(at);
            answered += 1;
        }
    };
    let lists = ["messages", "input", "contents"];
    let messages = lists.iter().find_map(|name| body[*name].as_array()).unwrap();
    for message in messages {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            meet(true, &call["id"]);
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<Map<String, Value>>(arguments).is_ok(), "{id}");
        }
        if message["role"] == "tool" {
            meet(false, &message["tool_call_id"]);
        }
        match message["type"].as_str() {
            Some("function_call") => meet(true, &message["call_id"]),
            Some("function_call_output") => meet(false, &message["call_id"]),
            _ => {}
        }
        let blocks = message["content"].as_array().or_else(|| message["parts"].as_array());
        for block in blocks.into_iter().flatten() {
            if block["type"] == "tool_use" {
                meet(true, &block["id"]);
                assert!(block["input"].is_object(), "{id}");
            } else if block["type"] == "tool_result" {
                meet(false, &block["tool_use_id"]);
            } else if block["functionCall"].is_object() {
                meet(true, &block["functionCall"]["name"]);
                assert!(block["functionCall"]["args"].is_object(), "{id}");
            } else if block["functionResponse"].is_object() {
                meet(false, &block["functionResponse"]["name"]);
            }
        }
    }
    assert!(open.is_empty() && answered == 2, "{id}: {body:#}");
}

#[test]
fn calls_and_results_are_in_pairs_and_in_order() {
    for (id, provider) in MODELS {
        check_pairs(id, &made(id, &request(conversation(provider, "call_1"))));
    }
}

/// docs/MODELS.md, hazard 6: the results of one step are one message.
#[test]
fn hazard_6_all_results_of_an_answer_are_one_message_of_the_user() {
    let body = made("anthropic:claude-haiku-4-5", &request(conversation(Provider::Xai, "a:0/…")));
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|each| each["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "user"]);
    let results = messages[2]["content"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    // The protocol takes only letters, digits, `_` and `-`.
    assert_eq!(results[0]["tool_use_id"], "call_1_0");
    assert_eq!(results[1]["tool_use_id"], "call_1_1");
    assert_eq!(results[1]["is_error"], true);
}

/// docs/MODELS.md, OpenAI: o3 and newer refuse `max_tokens`.
#[test]
fn openai_limits_an_answer_by_the_newer_name() {
    let mut limited = request(vec![user("x")]);
    limited.output_limit = Some(100);
    for (id, name) in [
        ("openai:o3", "max_completion_tokens"),
        ("deepseek:deepseek-chat", "max_tokens"),
        ("custom:x", "max_tokens"),
        ("openai:gpt-5", "max_output_tokens"),
        ("anthropic:claude-opus-4-6", "max_tokens"),
    ] {
        let body = made(id, &limited);
        assert_eq!(body[name], 100, "{id}");
        let others = ["max_completion_tokens", "max_tokens", "max_output_tokens"];
        let count = others.iter().filter(|name| body.get(**name).is_some()).count();
        assert_eq!(count, 1, "{id}");
    }
}

/// docs/MODELS.md, Anthropic: `max_tokens` is required; with the request it must fit the window.
#[test]
fn anthropic_an_answer_is_limited_to_what_is_left_of_the_window() {
    let of = |bytes: usize| {
        let request = request(vec![user(&"x".repeat(bytes))]);
        made("anthropic:claude-sonnet-4-5", &request)["max_tokens"].as_u64().unwrap()
    };
    assert_eq!(of(3), 32_000);
    assert!((49_000..50_000).contains(&(of(540_000) + 30_000)), "{}", of(540_000));
    assert_eq!(of(900_000), 1_024);
}

/// At most four, at the ends of tools, system prompt, and the last two messages of the user.
#[test]
fn anthropic_cache_breakpoints_are_four() {
    let body = made("anthropic:claude-opus-4-6", &request(conversation(Provider::Anthropic, "a")));
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    assert!(body["tools"][1]["cache_control"].is_object());
    assert!(body["system"][0]["cache_control"].is_object());
    assert!(body["messages"][2]["content"][1]["cache_control"].is_object());
    assert!(body["messages"][3]["content"][0]["cache_control"].is_object());
}

/// An answer of another provider did not think here: the protocol refuses thinking behind it.
#[test]
fn anthropic_thinking_waits_for_a_turn_of_its_own() {
    let thinking = |provider, end| {
        let mut request = request(conversation(provider, "a")[..end].to_vec());
        request.thinking = Some(4_096);
        made("anthropic:claude-sonnet-4-5", &request)["thinking"].clone()
    };
    let on = json!({"type": "enabled", "budget_tokens": 4_096});
    assert_eq!(thinking(Provider::Anthropic, 2), on);
    assert_eq!(thinking(Provider::Xai, 2), Value::Null);
    assert_eq!(thinking(Provider::Xai, 3), on);
}

/// docs/MODELS.md, Gemini 3: calls without a signature are refused; of parallel calls only the
/// first has one.
#[test]
fn gemini_3_gets_a_stand_in_for_the_signature_of_another_provider() {
    let signatures = |id, from| {
        let body = made(id, &request(conversation(from, "x")));
        let parts = body["contents"][1]["parts"].as_array().unwrap();
        let calls = parts.iter().filter(|part| part["functionCall"].is_object());
        calls.map(|call| call["thoughtSignature"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let stand_in = "skip_thought_signature_validator".to_owned();
    assert_eq!(signatures("google:gemini-3-pro", Provider::Xai), [Some(stand_in), None]);
    assert_eq!(signatures("google:gemini-3-pro", Provider::Google), [Some("c2ln".into()), None]);
    assert_eq!(signatures("google:gemini-2.5-pro", Provider::Xai), [None, None]);
}

#[test]
fn images_have_the_form_of_each_protocol() {
    let image = Content::Image { media_type: "image/png".into(), base64: "iVBO".into() };
    let request = request(vec![Message::User(vec![Content::Text("看".into()), image])]);
    let of = |id: &str, pointer: &str| made(id, &request).pointer(pointer).cloned().unwrap();
    let url = json!("data:image/png;base64,iVBO");
    let source = of("anthropic:claude-opus-4-6", "/messages/0/content/1/source/data");
    assert_eq!(source, "iVBO");
    assert_eq!(of("openai:gpt-4.1", "/messages/1/content/1/image_url/url"), url);
    assert_eq!(of("openai:gpt-5", "/input/0/content/1/image_url"), url);
    assert_eq!(of("google:gemini-2.5-pro", "/contents/0/parts/1/inlineData/data"), "iVBO");
}

/// Only reasoning of another provider: nothing is left of the answer, and an empty one is refused.
#[test]
fn an_answer_of_which_nothing_is_left_is_left_out() {
    let answer = Message::Answer(vec![thought(Provider::Custom)]);
    let request = request(vec![user("a"), answer, user("b")]);
    for (id, _) in MODELS {
        let body = made(id, &request);
        let lists = ["messages", "input", "contents"];
        let messages = lists.iter().find_map(|name| body[*name].as_array()).unwrap();
        let said = messages.iter().filter(|message| message["role"] != "system").count();
        assert_eq!(said, 2, "{id}");
    }
}
