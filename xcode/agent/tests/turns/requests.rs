//! What requests have in common: one beginning, calls and results in pairs, also after a resume.

use agent::{Answer, Outcome};
use contract::xc::PermitMode;
use mock_model::{Recorded, Reply, Script, Turn};
use serde_json::{Value, json};

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, change, look, tool, turn};

/// The conversation in a body, without the breakpoints of a cache, which move with its end.
fn messages(body: &Value) -> String {
    let key = ["messages", "input", "contents"].into_iter().find(|key| body.get(key).is_some());
    let mut messages = body[key.expect("a conversation")].clone();
    unmark(&mut messages);
    let text = messages.to_string();
    text.strip_suffix(']').expect("a list").to_owned()
}

fn unmark(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("cache_control");
            object.values_mut().for_each(unmark);
        }
        Value::Array(values) => values.iter_mut().for_each(unmark),
        _ => {}
    }
}

/// All of a body but the conversation, and but the limit of Messages, which depends on it.
fn rest(request: &Recorded) -> String {
    let mut body = request.json();
    let object = body.as_object_mut().expect("a body");
    for key in ["messages", "input", "contents", "max_tokens"] {
        object.remove(key);
    }
    body.to_string()
}

/// A turn with all that can become of calls, then one with a question.
fn script() -> Script {
    let calls = Turn::empty()
        .and_reasoning("先想一想", Some("opaque-7"))
        .and_text("I look.\n")
        .and_call("look", &json!({"text": "a"}))
        .and_raw_call("look", "{\"text\": ")
        .and_call("nothing", &json!({}))
        .and_call("change", &json!({"text": "rm -rf /"}))
        .and_call("change", &json!({"text": "touch a"}))
        .and_call("fail", &json!({"text": "b"}));
    let more = Turn::call("look", &json!({"text": "b"}));
    let last = Turn::text("Done.\n好").into();
    Script::sequence([calls.into(), more.into(), last], Reply::Text("Yes.".into()))
}

async fn stage(protocol: (&'static str, mock_model::Dialect, &'static str)) -> Stage {
    let mut stage = Stage::speaking(protocol, script()).await;
    stage.mode = PermitMode::Ask;
    let fail = tool("fail", Kind::Reads, |_, _| async { Outcome::error("no such file") });
    stage.tools = vec![look(), change(), fail];
    stage
}

fn host() -> ScriptedHost {
    ScriptedHost::answering([Answer::No(Some("not so".into()))])
}

/// XC-34: each request begins with the one before it, byte for byte.
#[tokio::test]
async fn each_request_begins_with_the_one_before_it() {
    for protocol in PROTOCOLS {
        let stage = stage(protocol).await;
        let mut session = stage.session();
        assert_eq!(turn(&mut session, "看看", &host()).await.exit, 0);
        assert_eq!(turn(&mut session, "Good?", &host()).await.answer, "Yes.");
        let requests = stage.requests();
        assert_eq!(requests.len(), 4);
        for pair in requests.windows(2) {
            let (one, next) = (messages(&pair[0].json()), messages(&pair[1].json()));
            assert!(next.len() > one.len(), "{protocol:?}");
            assert_eq!(next[..one.len()], one, "{protocol:?}");
            assert_eq!(rest(&pair[0]), rest(&pair[1]), "{protocol:?}");
        }
    }
}

/// A session that goes on asks what it would have asked without an end.
#[tokio::test]
async fn a_resumed_session_asks_what_it_would_have_asked() {
    for protocol in PROTOCOLS {
        let mut bodies = Vec::new();
        for resumes in [false, true] {
            let stage = stage(protocol).await;
            let mut session = stage.session();
            turn(&mut session, "看看", &host()).await;
            if resumes {
                let id = session.id();
                drop(session);
                session = stage.resumed(id);
            }
            turn(&mut session, "Good?", &host()).await;
            let body = messages(&stage.requests().last().unwrap().json());
            bodies.push(body.replace(&stage.folder.path().display().to_string(), "FOLDER"));
        }
        assert_eq!(bodies[0], bodies[1], "{protocol:?}");
    }
}
