//! No key lies in a journal or a summary, wherever it stands.

use std::fs;

use contract::xc::{Call, CallStatus, CommandRun, EndReason, Entry};
use llm::{Arguments, Asked, Message, ModelId, Opaque, Part, Provider};
use redact::Redactor;
use serde_json::json;

use super::{Journal, Somewhere, answered, user};

/// A key of no vendor's form: only that it is known makes it a secret.
const KEY: &str = "plain words of a key 4711";

fn entries_with(key: impl Fn() -> String) -> Vec<Entry> {
    let parts = json!([
        { "part": "text", "text": key(), "provider": "custom", "value": { "a": [key()] }, "more": key() },
        { "part": "call", "provider": "custom", "value": { (key()): 1 } },
    ]);
    vec![
        Entry::User { text: key(), told: key() },
        Entry::Assistant {
            model: "custom:x".into(),
            text: key(),
            reasoning: Some(key()),
            opaque: Some(parts),
            calls: vec![Call {
                id: key(),
                tool: "shell".into(),
                input: json!({ (key()): [key()] }),
            }],
        },
        Entry::Assistant {
            model: "custom:x".into(),
            text: String::new(),
            reasoning: None,
            opaque: Some(json!({ "other": key() })),
            calls: vec![],
        },
        Entry::Begun { id: key(), tool: "shell".into() },
        Entry::Result {
            id: key(),
            status: CallStatus::Ok,
            text: key(),
            truncated: false,
            changed: vec![key()],
            command: Some(CommandRun { command: key(), exit: Some(0) }),
        },
        Entry::Compact { summary: key(), before: 1, after: 1, kept_from: 1 },
        Entry::Model { from: "a:b".into(), to: "c:d".into(), why: key() },
        Entry::Undo { turn: 1, files: vec![key()] },
        Entry::Note { text: key(), pid: None },
        Entry::End { reason: EndReason::Answered },
    ]
}

#[test]
fn a_key_is_on_no_line_and_in_no_summary() {
    let somewhere = Somewhere::new();
    let redactor = Redactor::with_values(vec![KEY.to_owned()]);
    let mut journal = Journal::create(&somewhere.places(), "0.1.0", redactor).unwrap();
    super::append_all(&mut journal, entries_with(|| KEY.to_owned()));
    let folder = journal.path().parent().unwrap().to_owned();
    let mut masks = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("4711"), "{text}");
        masks += text.matches("[REDACTED:").count();
    }
    assert!(masks > 16, "{masks}");
    drop(journal);
    // The call and its result still find one another.
    let (_journal, past) = somewhere.go_on().unwrap();
    assert_eq!(past.unfinished, []);
}

#[test]
fn a_secret_of_a_known_form_is_masked_in_arguments_too() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let token = ["ghp_", "R7tQ2mXv9KpL4wZs8NcB3yHd6JfG1aTe5UqV"].concat();
    let mut asks = super::asks(&[("a", "shell")]);
    if let Entry::Assistant { calls, .. } = &mut asks {
        calls[0].input = json!({ "command": format!("curl -H 'X: {token}' u"), "n": 1 });
    }
    super::append_all(&mut journal, [user("go"), asks]);
    let lines = super::lines(&journal.path());
    let input = &lines[2]["calls"][0]["input"];
    assert!(!input.to_string().contains(&token[8..]), "{input}");
    assert!(input["command"].as_str().unwrap().starts_with("curl -H"), "{input}");
    assert_eq!(input["n"], 1);
}

#[test]
fn what_a_provider_signed_is_kept_as_it_came_or_not_at_all() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let model: ModelId = "anthropic:claude-opus-4-6".parse().unwrap();
    let mut expected = vec![];
    journal.append(user("go")).unwrap();
    for turn in 0..200 {
        let value = json!({ "type": "thinking", "thinking": "so", "signature": signature(turn) });
        let opaque = Some(Opaque { provider: Provider::Anthropic, value });
        let parts =
            vec![Part::Reasoning { shown: "so".into(), opaque: opaque.clone() }, call(turn)];
        journal.append(answered(&model, &parts)).unwrap();
        expected.push(opaque);
    }
    let planted = ["AKIA", "Q7RZM3XKWN5TJ2HB"].concat();
    let value = json!({ "thinking": planted });
    let opaque = Some(Opaque { provider: Provider::Anthropic, value });
    journal.append(answered(&model, &[Part::Reasoning { shown: "so".into(), opaque }])).unwrap();
    expected.push(None);
    drop(journal);
    let (_journal, past) = somewhere.go_on().unwrap();
    let kept = past.messages[1..].iter().map(|message| match message {
        Message::Answer(parts) => match &parts[0] {
            Part::Reasoning { opaque, .. } => opaque.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    });
    assert_eq!(kept.collect::<Vec<_>>(), expected);
    let ids = past.unfinished.iter().map(|call| call.id.as_str());
    assert_eq!(ids.filter(|id| id.contains("REDACTED")).count(), 0);
}

/// Two kilobytes of either alphabet of base64, as signatures are.
fn signature(turn: u64) -> String {
    let last: &[u8] = if turn.is_multiple_of(2) { b"+/" } else { b"-_" };
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letters = [&letters[..], last].concat();
    let mut state = turn;
    let letter = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(letters[usize::try_from(state >> 33).unwrap() % 64])
    };
    (0..2048).map(letter).collect()
}

/// A call with an id as providers make them.
fn call(turn: u64) -> Part<Asked> {
    let id = match turn % 3 {
        0 => format!("toolu_01A{turn}kXq5Lr8PfZ2mYw7TnVb3Hc"),
        1 => format!("call_{turn}aB3dEfGh1JkLmN0pQrStUvWx"),
        _ => format!("chatcmpl-tool-{turn}f3a9c07e5b1d4826"),
    };
    let (name, arguments) = ("readFile".into(), Arguments::read("{}"));
    Part::Call(Asked { id, name, arguments, opaque: None })
}
