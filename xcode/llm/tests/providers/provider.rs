//! The ten rows of the matrix: each provider id, how its mock speaks, and one model asked there.

use std::time::Duration;

use futures_util::StreamExt;
use llm::{
    Answer, Cancel, Collector, Content, Event, Events, Failure, Key, Message, Model, RemoteModel,
    Request, Settings, Times, Tool,
};
use mock_model::{Dialect, MockModel, Script, Turn, Usage};
use serde_json::json;

/// A key that must not surface anywhere.
pub(crate) const KEY: &str = "sk-planted-9f8e7d6c5b4a3210";

/// One id of the matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Provider {
    pub(crate) id: &'static str,
    pub(crate) dialect: Dialect,
    /// Where the routes of the mock begin.
    base: &'static str,
    /// Its reasoning is shown in the stream.
    pub(crate) shows_reasoning: bool,
    /// What it gave with its reasoning must be in the next request.
    pub(crate) wants_back: Option<&'static str>,
}

const CHAT: Provider = Provider {
    id: "openai:gpt-4.1",
    dialect: Dialect::OPENAI,
    base: "/v1",
    shows_reasoning: false,
    wants_back: None,
};

/// The nine, and OpenAI's newer models.
pub(crate) const PROVIDERS: [Provider; 10] = [
    Provider {
        id: "anthropic:claude-sonnet-4-5",
        base: "",
        shows_reasoning: true,
        wants_back: Some("opaque-7"),
        ..CHAT
    },
    CHAT,
    Provider { id: "openai:gpt-5", shows_reasoning: true, wants_back: Some("opaque-7"), ..CHAT },
    Provider {
        id: "deepseek:deepseek-reasoner",
        dialect: Dialect::DEEPSEEK,
        shows_reasoning: true,
        wants_back: Some("先想一想"),
        ..CHAT
    },
    Provider { id: "alibaba:qwen-max", dialect: Dialect::ALIBABA, shows_reasoning: true, ..CHAT },
    Provider {
        id: "google:gemini-2.5-pro",
        base: "/v1beta",
        shows_reasoning: true,
        wants_back: Some("opaque-7"),
        ..CHAT
    },
    Provider { id: "xai:grok-3", dialect: Dialect::XAI, shows_reasoning: true, ..CHAT },
    Provider { id: "zhipu:glm-4-plus", dialect: Dialect::ZHIPU, shows_reasoning: true, ..CHAT },
    Provider {
        id: "moonshotai:kimi-k2.5",
        dialect: Dialect::MOONSHOT,
        shows_reasoning: true,
        wants_back: Some("先想一想"),
        ..CHAT
    },
    Provider { id: "custom:foo-high", dialect: Dialect::CUSTOM, ..CHAT },
];

/// Waits that no loopback needs, and that no test lasts.
pub(crate) const PATIENCE: Times = Times {
    connect: Duration::from_secs(20),
    headers: Duration::from_secs(20),
    silence: Duration::from_secs(20),
};

impl Provider {
    /// A mock that speaks as this provider.
    pub(crate) async fn mock(self, script: impl Into<Script>) -> MockModel {
        let mock = MockModel::local(script).await.expect("a free port of loopback");
        mock.set_dialect(self.dialect);
        mock
    }

    pub(crate) fn settings(self, mock: &MockModel) -> Settings {
        settings(self.id, &format!("{}{}", mock.origin(), self.base))
    }

    /// The model at the mock.
    pub(crate) fn model(self, mock: &MockModel) -> RemoteModel {
        RemoteModel::new(self.settings(mock)).expect("loopback may be asked")
    }

    /// The model at the mock, with other waits.
    pub(crate) fn waiting(self, mock: &MockModel, times: Times) -> RemoteModel {
        let settings = Settings { times, ..self.settings(mock) };
        RemoteModel::new(settings).expect("loopback may be asked")
    }
}

pub(crate) fn settings(id: &str, base_url: &str) -> Settings {
    Settings {
        id: id.parse().expect("an id of the matrix"),
        key: Key::new(KEY.to_owned()).expect("a key"),
        base_url: Some(base_url.to_owned()),
        window: None,
        times: PATIENCE,
        proxy: None,
    }
}

/// A request with two tools.
pub(crate) fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str, parameter: &str| Tool {
        name: name.to_owned(),
        description: format!("{name}."),
        schema: json!({
            "type": "object",
            "properties": {parameter: {"type": "string"}},
            "additionalProperties": false,
        }),
    };
    Request {
        system: "You are xc.".to_owned(),
        tools: vec![tool("readFile", "filePath"), tool("grep", "pattern")],
        messages,
        output_limit: None,
        thinking: None,
    }
}

pub(crate) fn user(text: &str) -> Message {
    Message::User(vec![Content::Text(text.to_owned())])
}

/// Everything that the model says to a short request, or why it says nothing.
pub(crate) async fn ask(model: &RemoteModel) -> Vec<Result<Event, Failure>> {
    match model.stream(request(vec![user("看看")]), Cancel::new()).await {
        Ok(events) => events.collect().await,
        Err(failure) => vec![Err(failure)],
    }
}

/// The failure with which a short request ends.
pub(crate) async fn failure(model: &RemoteModel) -> Failure {
    let mut events = ask(model).await;
    match events.pop() {
        Some(Err(failure)) => failure,
        other => panic!("{model:?}: {other:?}"),
    }
}

/// The whole answer of a stream.
pub(crate) async fn whole(events: Events) -> Answer {
    let mut collector = Collector::default();
    for event in events.collect::<Vec<_>>().await {
        collector.push(event.expect("no failure"));
    }
    collector.finish().expect("the stream has its end")
}

/// What the mock says: a thought, Chinese text, two calls side by side, each in pieces.
pub(crate) fn turn() -> Turn {
    Turn::empty()
        .and_reasoning("先想一想", Some("opaque-7"))
        .and_text("你好，我看一下。龙🐉")
        .and_call("readFile", &json!({"filePath": "src/主.rs"}))
        .and_call("grep", &json!({"pattern": "f\n\"多\""}))
        .in_pieces(3)
        .costing(Usage {
            input_tokens: 120,
            cached_input_tokens: 64,
            output_tokens: 30,
            reasoning_tokens: 8,
        })
}
