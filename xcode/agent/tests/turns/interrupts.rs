//! Interrupts at any moment: what is finished stays, and the session goes on.

use std::sync::Arc;
use std::time::Duration;

use agent::Outcome;
use contract::xc::{CallStatus, EndReason, PermitMode, What};
use llm::Cancel;
use mock_model::{ErrorKind, Fault, ProviderError, Reply, Script, Trouble, Turn};
use serde_json::json;
use tokio::sync::Barrier;

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, look, tool, turn};

/// A host that interrupts at the first event of a kind.
fn interrupting(cancel: &Cancel, is_moment: fn(&What) -> bool) -> ScriptedHost {
    let cancel = cancel.clone();
    ScriptedHost::watching(move |what| {
        if is_moment(what) {
            cancel.cancel();
        }
    })
}

/// The next turn of an interrupted session is answered, and nothing in its request is refused.
async fn goes_on(stage: &Stage, session: &mut agent::Session) -> Vec<String> {
    stage.mock.set_script(Reply::Text("Done.".into()));
    let end = turn(session, "go on", &ScriptedHost::default()).await;
    assert_eq!((end.exit, end.answer.as_str()), (0, "Done."));
    stage.requests().last().expect("a request").results()
}

#[tokio::test]
async fn an_interrupt_ends_a_stream_and_keeps_nothing_of_it() {
    for protocol in PROTOCOLS {
        let answer = Turn::text("I look.\nAnd more.\n").and_call("look", &json!({"text": "a"}));
        let reply = Reply::from(answer).with(Fault::before_end(Trouble::Silence));
        let stage = Stage::speaking(protocol, reply).await;
        let mut session = stage.session();
        let cancel = Cancel::new();
        let host = interrupting(&cancel, |what| matches!(what, What::Text { .. }));
        let end = session.turn("go", &host, &cancel).await;
        assert_eq!((end.reason, end.exit), (EndReason::Interrupted, 130), "{protocol:?}");
        assert_eq!((end.answer.as_str(), host.of("call").len()), ("", 0));
        assert_eq!(goes_on(&stage, &mut session).await, Vec::<String>::new());
        assert!(!stage.requests()[1].json().to_string().contains("I look."));
    }
}

/// XC-51: finished calls and their results stay, the others are told as interrupted.
#[tokio::test]
async fn an_interrupt_ends_tools_and_keeps_what_is_finished() {
    for protocol in PROTOCOLS {
        let calls = Turn::call("look", &json!({"text": "a"}))
            .and_call("hang", &json!({"text": "b"}))
            .and_call("hang", &json!({"text": "c"}));
        let mut stage = Stage::speaking(protocol, Reply::from(calls)).await;
        stage.tools = vec![
            look(),
            tool("hang", Kind::Runs, |_, cancel| async move {
                cancel.cancel();
                std::future::pending().await
            }),
        ];
        let mut session = stage.session();
        let host = ScriptedHost::default();
        let end = session.turn("go", &host, &Cancel::new()).await;
        assert_eq!((end.reason, end.exit), (EndReason::Interrupted, 130), "{protocol:?}");
        let results = goes_on(&stage, &mut session).await;
        assert_eq!(results, ["saw a", "Interrupted by user.", "Interrupted by user."]);
        let statuses: Vec<_> =
            host.of("result").iter().map(|result| result["status"].clone()).collect();
        assert_eq!(statuses, ["ok", "interrupted", "interrupted"]);
        let journal = stage.on_disk();
        assert_eq!(journal.matches("\"kind\":\"begun\"").count(), 2, "the third never began");
    }
}

#[tokio::test]
async fn a_tool_that_ends_itself_says_what_became_of_it() {
    let calls = Turn::call("ends", &json!({"text": "a"})).and_call("done", &json!({"text": "b"}));
    let mut stage = Stage::new(Reply::from(calls)).await;
    let both = Arc::new(Barrier::new(2));
    let ending = |status, text: &'static str| {
        let both = Arc::clone(&both);
        move |_, cancel: Cancel| {
            let both = Arc::clone(&both);
            async move {
                both.wait().await;
                cancel.cancel();
                Outcome { status, ..Outcome::ok(text) }
            }
        }
    };
    stage.tools = vec![
        tool("ends", Kind::Reads, ending(CallStatus::Interrupted, "half of it")),
        tool("done", Kind::Reads, ending(CallStatus::Ok, "all of it")),
    ];
    let mut session = stage.session();
    let end = turn(&mut session, "go", &ScriptedHost::default()).await;
    assert_eq!(end.exit, 130);
    let results = goes_on(&stage, &mut session).await;
    assert_eq!(results, ["Interrupted by user.\nhalf of it", "all of it"]);
}

#[tokio::test]
async fn an_interrupt_ends_a_wait_and_a_question() {
    let error = ProviderError::new(ErrorKind::RateLimited).retry_after(Duration::from_secs(60));
    let stage = Stage::new(Reply::from(error)).await;
    let mut session = stage.session();
    let cancel = Cancel::new();
    let host = interrupting(&cancel, |what| matches!(what, What::Retry { .. }));
    let end = session.turn("go", &host, &cancel).await;
    assert_eq!((end.exit, host.of("retry")[0]["after_ms"].clone()), (130, json!(60_000)));
    goes_on(&stage, &mut session).await;

    let mut stage =
        Stage::new(Reply::from(Turn::call("change", &json!({"text": "touch a"})))).await;
    stage.mode = PermitMode::Ask;
    let mut session = stage.session();
    let cancel = Cancel::new();
    let host = ScriptedHost::interrupting_questions(&cancel);
    let end = session.turn("go", &host, &cancel).await;
    assert_eq!((end.exit, end.denied.len(), host.asked().len()), (130, 0, 1));
    assert_eq!(goes_on(&stage, &mut session).await, ["Interrupted by user."]);
}

/// An interrupt in the middle of a compaction is an interrupt, and the conversation is as it was.
#[tokio::test]
async fn an_interrupt_ends_a_compaction() {
    let mut step = 0;
    let script = Script::choose(move |request| {
        if request.json().to_string().contains("Summarize the following") {
            return Reply::from(Turn::text("...")).with(Fault::before_end(Trouble::Silence));
        }
        step += 1;
        match step {
            1 | 2 => Turn::call("look", &json!({"text": format!("{step}")})).into(),
            _ => ProviderError::new(ErrorKind::ContextLength).into(),
        }
    });
    let stage = Stage::new(script).await;
    let mut session = stage.session();
    let cancel = Cancel::new();
    let host = ScriptedHost::default();
    let turn = session.turn("go", &host, &cancel);
    let interrupt = async {
        while stage.mock.request_count() < 4 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (end, ()) = tokio::join!(turn, interrupt);
    assert_eq!((end.reason, end.exit), (EndReason::Interrupted, 130));
    assert_eq!(goes_on(&stage, &mut session).await, ["saw 1", "saw 2"]);
}

#[tokio::test]
async fn an_interrupt_before_the_first_request_asks_nothing() {
    let stage = Stage::new(Reply::Text("Done.".into())).await;
    let mut session = stage.session();
    let cancel = Cancel::new();
    cancel.cancel();
    let host = ScriptedHost::default();
    let end = session.turn("go", &host, &cancel).await;
    assert_eq!((end.exit, stage.requests().len()), (130, 0));
    assert_eq!(host.kinds(), ["prompt", "evidence"]);
}
