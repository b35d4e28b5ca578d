//! Answers that come whole: text, reasoning, calls, usage, and the request that goes on from there.

use llm::{Answer, Arguments, Call, CallResult, Cancel, Event, Message, Model, Part, Reason};
use mock_model::{Fault, LineEnd, Reply, Script, Trouble, Turn};
use serde_json::json;

use crate::provider::{KEY, PROVIDERS, Provider, ask, request, turn, user, whole};

/// The answer to [`turn`], whichever provider gave it.
fn check(provider: Provider, answer: &Answer) {
    let id = provider.id;
    assert_eq!(answer.reason, Reason::Calls, "{id}");
    let usage = answer.usage;
    assert_eq!((usage.input, usage.cached, usage.output), (120, 64, 30), "{id}: {usage:?}");
    let (mut thought, mut text, mut calls) = (String::new(), String::new(), Vec::new());
    for part in &answer.parts {
        match part {
            Part::Reasoning { shown, .. } => thought.push_str(shown),
            Part::Text { text: more, .. } => text.push_str(more),
            Part::Call(asked) => calls.push(asked),
        }
    }
    assert_eq!(text, "你好，我看一下。龙🐉", "{id}");
    assert_eq!(thought, if provider.shows_reasoning { "先想一想" } else { "" }, "{id}");
    let [read, grep] = calls[..] else { panic!("{id}: {answer:?}") };
    assert_eq!([&*read.name, &*grep.name], ["readFile", "grep"], "{id}");
    assert_eq!(read.arguments, Arguments::of(json!({"filePath": "src/主.rs"})), "{id}");
    assert_eq!(grep.arguments, Arguments::of(json!({"pattern": "f\n\"多\""})), "{id}");
    assert!(!read.id.is_empty() && !grep.id.is_empty() && read.id != grep.id, "{id}");
}

#[tokio::test]
async fn text_calls_and_usage_arrive_in_chunks_of_any_size() {
    for provider in PROVIDERS {
        for bytes in [1, 2, 7, 64, 4_096] {
            for end in [LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr] {
                let reply = Reply::from(turn()).in_chunks(bytes).with_lines(end);
                let mock = provider.mock(reply).await;
                let model = provider.model(&mock);
                let asked = model.stream(request(vec![user("看看")]), Cancel::new()).await;
                let events = asked.unwrap_or_else(|error| panic!("{}: {error}", provider.id));
                check(provider, &whole(events).await);
            }
        }
    }
}

/// The conversation as it goes on after `answer`.
fn with_results(answer: Answer) -> Vec<Message> {
    let parts = answer.parts.into_iter().map(|part| match part {
        Part::Text { text, opaque } => Part::Text { text, opaque },
        Part::Reasoning { shown, opaque } => Part::Reasoning { shown, opaque },
        Part::Call(asked) => {
            let result = match &*asked.name {
                "readFile" => CallResult::Done("1\tfn main() {}".to_owned()),
                _ => CallResult::Failed("No matches.".to_owned()),
            };
            let call: Call = asked.with(result);
            Part::Call(call)
        }
    });
    vec![user("看看"), Message::Answer(parts.collect())]
}

#[tokio::test]
async fn results_and_reasoning_go_back_and_the_mock_refuses_nothing() {
    for provider in PROVIDERS {
        let replies = [Reply::from(turn()), Reply::from(Turn::text("好了。"))];
        let mock = provider.mock(Script::sequence(replies, Reply::Empty)).await;
        let model = provider.model(&mock);
        let first = model.stream(request(vec![user("看看")]), Cancel::new()).await.unwrap();
        let messages = with_results(whole(first).await);
        let again = model.stream(request(messages), Cancel::new()).await;
        let events = again.unwrap_or_else(|error| panic!("{}: {error}", provider.id));
        let answer = whole(events).await;
        let text = Part::Text { text: "好了。".to_owned(), opaque: None };
        assert_eq!(answer.parts, [text], "{}", provider.id);
        assert_eq!(answer.reason, Reason::Answered, "{}", provider.id);
        assert_eq!(mock.refusals(), [""; 0], "{}", provider.id);

        let requests = mock.requests();
        let body = requests[1].json();
        let protocol = mock_model::Protocol::of(&requests[1].path).unwrap();
        let results = mock_model::wire::results(protocol, &body);
        assert_eq!(results.len(), 2, "{}: {results:?}", provider.id);
        if let Some(word) = provider.wants_back {
            assert!(body.to_string().contains(word), "{}: {body:#}", provider.id);
        }
    }
}

/// Another provider goes on: it gets the text and the calls, and nothing that is not its own.
#[tokio::test]
async fn every_provider_goes_on_with_the_answer_of_every_other() {
    for from in PROVIDERS {
        let mock = from.mock(Reply::from(turn())).await;
        let first = from.model(&mock).stream(request(vec![user("看看")]), Cancel::new()).await;
        let messages = with_results(whole(first.unwrap()).await);
        for to in PROVIDERS {
            let mock = to.mock(Reply::from(Turn::text("好了。"))).await;
            let asked = to.model(&mock).stream(request(messages.clone()), Cancel::new()).await;
            let events = asked.unwrap_or_else(|error| panic!("{} to {}: {error}", from.id, to.id));
            whole(events).await;
            assert_eq!(mock.refusals(), [""; 0], "{} to {}", from.id, to.id);
            let body = mock.requests()[0].json().to_string();
            let name = |id: &str| id.split(':').next().unwrap_or_default().to_owned();
            if name(from.id) != name(to.id) {
                for word in ["opaque-7", "先想一想"] {
                    assert!(!body.contains(word), "{} to {}: {body}", from.id, to.id);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_key_goes_into_its_header_and_the_exact_name_into_the_request() {
    for provider in PROVIDERS {
        let mock = provider.mock(Reply::from(Turn::text("x"))).await;
        ask(&provider.model(&mock)).await;
        let request = mock.requests().remove(0);
        let (_, name) = provider.id.split_once(':').unwrap();
        let headers: Vec<&str> = request
            .headers
            .iter()
            .filter(|(_, value)| value.contains(KEY))
            .map(|(name, _)| &**name)
            .collect();
        let (header, place) = match provider.id.split(':').next() {
            Some("anthropic") => ("x-api-key", request.json()["model"].to_string()),
            Some("google") => ("x-goog-api-key", request.path.clone()),
            _ => ("authorization", request.json()["model"].to_string()),
        };
        assert_eq!(headers, [header], "{}", provider.id);
        assert!(place.contains(name), "{}: {place}", provider.id);
        assert!(!request.path.contains(KEY) && !request.json().to_string().contains(KEY));
    }
}

/// docs/MODELS.md, hazard 4, over the wire: broken arguments are told and not executed.
#[tokio::test]
async fn hazard_4_malformed_arguments_arrive_as_such() {
    for provider in PROVIDERS {
        let turn = Turn::empty().and_raw_call("readFile", r#"{"filePath": "a"#);
        let mock = provider.mock(Reply::from(turn)).await;
        let asked = provider.model(&mock).stream(request(vec![user("x")]), Cancel::new()).await;
        let answer = whole(asked.unwrap()).await;
        let [Part::Call(asked)] = &answer.parts[..] else { panic!("{}: {answer:?}", provider.id) };
        // Gemini sends objects only.
        let is_malformed = matches!(asked.arguments, Arguments::Malformed { .. });
        assert_eq!(is_malformed, !provider.id.starts_with("google"), "{}", provider.id);
        // Sent back, they are an object: broken ones are refused.
        let messages = with_results(answer);
        let again = provider.model(&mock).stream(request(messages), Cancel::new()).await;
        assert_eq!(again.err(), None, "{}", provider.id);
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_is_skipped() {
    for provider in PROVIDERS {
        let reply = Reply::from(turn()).with(Fault::after(2, Trouble::Malformed));
        let mock = provider.mock(reply).await;
        let events = ask(&provider.model(&mock)).await;
        assert!(matches!(events.last(), Some(Ok(Event::End(Reason::Calls)))), "{}", provider.id);
    }
}
