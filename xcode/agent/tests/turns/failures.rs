//! What a turn does where the model gives no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agent::Outcome;
use contract::xc::EndReason;
use futures_util::future::join_all;
use llm::{Event, Failure, Reason, Wait};
use mock_model::{ErrorKind, Fault, ProviderError, Reply, Script, Trouble, Turn};
use serde_json::json;

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, StubModel, said, tool, turn};

fn message() -> String {
    "words".to_owned()
}

async fn stub(replies: Vec<Result<Vec<Event>, Failure>>) -> (Stage, Arc<StubModel>) {
    let mut stage = Stage::new(Reply::Empty).await;
    let stub = StubModel::new("openai:gpt-4.1", replies);
    stage.stub = Some(Arc::clone(&stub));
    (stage, stub)
}

/// XC-66 to XC-70: who waits, who does not, and which exit code tells who has to act.
#[tokio::test(start_paused = true)]
async fn each_failure_is_tried_again_as_often_as_it_helps() {
    let after = |seconds| Some(Duration::from_secs(seconds));
    let silence = Failure::Timeout { wait: Wait::Silence, after: Duration::from_secs(120) };
    let cases: [(Failure, &[u128], u8); 14] = [
        (Failure::RateLimited { after: None, message: message() }, &[1_000, 2_000, 4_000], 4),
        (Failure::RateLimited { after: after(34), message: message() }, &[34_000; 3], 4),
        (Failure::RateLimited { after: after(61), message: message() }, &[], 4),
        (
            Failure::Overloaded { status: 529, after: None, message: message() },
            &[1_000, 2_000, 4_000],
            4,
        ),
        (Failure::Server { status: 500, message: message() }, &[1_000, 2_000, 4_000], 4),
        (Failure::Network { message: message() }, &[1_000], 4),
        (Failure::Cut { message: message() }, &[1_000], 4),
        (silence, &[1_000], 4),
        (Failure::Unreadable { message: message() }, &[1_000], 4),
        (Failure::Auth { status: 401, message: message() }, &[], 3),
        (Failure::ModelUnknown { message: message(), nearest: Vec::new() }, &[], 3),
        (Failure::Quota { message: message() }, &[], 4),
        (Failure::BadRequest { status: 400, message: message() }, &[], 4),
        (Failure::ContextLength { message: message() }, &[], 4),
    ];
    for (failure, waits, exit) in cases {
        let class = failure.class();
        let (stage, stub) = stub(vec![Err(failure)]).await;
        let host = ScriptedHost::default();
        let mut session = stage.session();
        let end = turn(&mut session, "go", &host).await;
        assert_eq!((end.reason, end.exit), (EndReason::Failed, exit), "{class}");
        assert_eq!(stub.waits(), waits, "{class}");
        let told: Vec<_> = host.of("retry").iter().map(|retry| retry["after_ms"].clone()).collect();
        assert_eq!(told, waits.iter().map(|wait| json!(wait)).collect::<Vec<_>>(), "{class}");
        let failure = &host.of("failure")[0];
        assert_eq!(failure["class"], class);
        let told = failure["message"].as_str().unwrap();
        assert!(told.starts_with("openai:gpt-4.1: ") && told.ends_with('.'), "{told}");
        assert_eq!(end.answer, "");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_a_wait_is_an_answer() {
    let limited = Failure::RateLimited { after: None, message: message() };
    let (stage, stub) = stub(vec![Err(limited), said("Done.")]).await;
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.exit, end.answer.as_str(), stub.count()), (0, "Done.", 2));
    assert_eq!(host.of("retry")[0]["attempt"], 2);
    assert_eq!(host.of("failure").len(), 0);
}

/// XC-20: a run that ends without an answer is never 0.
#[tokio::test(start_paused = true)]
async fn an_answer_without_a_word_is_none() {
    let nothing = || Ok(vec![Event::End(Reason::Answered)]);
    let (stage, stub) = stub(vec![nothing(), nothing()]).await;
    let end = turn(&mut stage.session(), "go", &ScriptedHost::default()).await;
    assert_eq!((end.reason, end.exit, stub.count()), (EndReason::Failed, 4, 2));
    let refused =
        vec![Event::Text { text: "I will not.".into(), opaque: None }, Event::End(Reason::Refused)];
    let (stage, stub) = crate::failures::stub(vec![Ok(refused)]).await;
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.reason, end.exit, stub.count()), (EndReason::Failed, 4, 1));
    assert_eq!(host.of("failure")[0]["class"], "refused");
    assert!(host.of("failure")[0]["message"].as_str().unwrap().contains("I will not."));
}

/// XC-33: never silently, and one step of the chain a call.
#[tokio::test(start_paused = true)]
async fn another_model_takes_over_where_the_provider_has_no_room() {
    for failure in [
        Failure::RateLimited { after: None, message: message() },
        Failure::Overloaded { status: 503, after: None, message: message() },
        Failure::Server { status: 500, message: message() },
    ] {
        let (mut stage, first) = stub(vec![Err(failure.clone())]).await;
        let second = StubModel::new("openai:gpt-4.1-mini", [Err(failure)]);
        let third = StubModel::new("openai:o3", [said("Done.")]);
        stage.fallback = vec![second.clone(), third.clone()];
        let mut session = stage.session();
        let host = ScriptedHost::default();
        let end = turn(&mut session, "go", &host).await;
        assert_eq!((end.reason, end.exit), (EndReason::Failed, 4), "one step a call");
        assert_eq!((first.count(), second.count(), third.count()), (4, 4, 0));
        let moved = host.of("model");
        let names = (&moved[0]["from"], &moved[0]["to"]);
        assert_eq!(names, (&json!("openai:gpt-4.1"), &json!("openai:gpt-4.1-mini")));
        assert_eq!(moved.len(), 1);
        let host = ScriptedHost::default();
        let end = turn(&mut session, "again", &host).await;
        assert_eq!((end.exit, end.answer.as_str()), (0, "Done."));
        assert_eq!((session.model().as_str(), host.of("model").len()), ("openai:o3", 1));
        assert_eq!((first.count(), second.count(), third.count()), (4, 8, 1));
    }
    // Where the key is refused, no other model is asked.
    let (mut stage, _) = stub(vec![Err(Failure::Auth { status: 401, message: message() })]).await;
    stage.fallback = vec![StubModel::new("openai:o3", [said("Done.")])];
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.exit, host.of("model").len()), (3, 0));
}

/// A call whose answer has no end never runs: cut at every event of every protocol.
#[tokio::test]
async fn no_call_of_a_cut_answer_ever_runs() {
    const EVENTS: usize = 24;
    let mut runs = Vec::new();
    for protocol in PROTOCOLS {
        for trouble in [Trouble::Cut, Trouble::Stop] {
            let places = (0..EVENTS).map(|at| Some(Fault::after(at, trouble.clone())));
            for fault in places.chain([Some(Fault::before_end(trouble.clone())), None]) {
                runs.push(
                    async move { (protocol.0, fault.clone(), executed(protocol, fault).await) },
                );
            }
        }
    }
    let mut first: std::collections::BTreeMap<String, usize> = Default::default();
    for (id, fault, executed) in join_all(runs).await {
        match fault {
            // Without a fault the call runs, so that the test can fail.
            None => assert_eq!(executed, 1, "{id}"),
            Some(Fault { at: mock_model::At::End, trouble }) => {
                assert_eq!(executed, 0, "{id} {trouble:?} before the end");
            }
            Some(Fault { at: mock_model::At::Event(at), trouble }) => {
                let first = first.entry(format!("{id} {trouble:?}")).or_insert(usize::MAX);
                if executed > 0 {
                    *first = (*first).min(at);
                }
                // From the event on that says that the answer is whole, and not before it.
                assert_eq!(executed, usize::from(at >= *first), "{id} {trouble:?} after {at}");
            }
        }
    }
    for (run, first) in first {
        // Google's streams have no event that says so: theirs are whole when they end, and never when
        // their connection breaks.
        let is_never = first == usize::MAX && run.starts_with("google") && run.ends_with("Cut");
        assert!(is_never || (4..EVENTS).contains(&first), "{run}: {first}");
    }
}

/// How many calls run of an answer with one call and this fault, which comes each time.
async fn executed(
    protocol: (&'static str, mock_model::Dialect, &'static str),
    fault: Option<Fault>,
) -> usize {
    let answer = Turn::text("I look.\n").and_call("look", &json!({"text": "a.rs"})).in_pieces(6);
    let reply = match fault {
        Some(fault) => Reply::from(answer).with(fault),
        None => answer.into(),
    };
    let script = Script::choose(move |request| match request.results().is_empty() {
        true => reply.clone(),
        false => Reply::Text("Done.".into()),
    });
    let mut stage = Stage::speaking(protocol, script).await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    stage.tools = vec![tool("look", Kind::Reads, move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Outcome::ok("seen") }
    })];
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    let count = count.load(Ordering::SeqCst);
    assert_eq!((end.exit == 0, host.of("call").len()), (count == 1, count), "{end:?}");
    assert_eq!(stage.on_disk().matches("\"kind\":\"begun\"").count(), count);
    assert!(count == 1 || (end.exit, stage.requests().len()) == (4, 2), "one retry: {end:?}");
    count
}

/// XC-63: an overflow compacts once and tries again.
#[tokio::test]
async fn a_context_that_is_too_long_is_compacted_once_and_asked_again() {
    for (times, exit) in [(1, 0), (2, 4)] {
        let overflow = AtomicUsize::new(0);
        let script = Script::choose(move |request| {
            if request.json().to_string().contains("Summarize the following") {
                return Reply::Text("It looked twice.".into());
            }
            match request.results().len() {
                0 | 1 if overflow.load(Ordering::SeqCst) == 0 => {
                    let number = request.results().len();
                    Turn::call("look", &json!({"text": format!("{number}")})).into()
                }
                _ if overflow.fetch_add(1, Ordering::SeqCst) < times => {
                    ProviderError::new(ErrorKind::ContextLength).into()
                }
                _ => Reply::Text("Done.".into()),
            }
        });
        let stage = Stage::new(script).await;
        let host = ScriptedHost::default();
        let mut session = stage.session();
        let end = turn(&mut session, "修一下", &host).await;
        assert_eq!((end.exit, host.of("compacted").len()), (exit, 1), "{times}");
        let last = stage.requests().last().unwrap().json().to_string();
        assert!(last.contains("[Previous conversation summary]\\nIt looked twice."), "{last}");
        assert!(last.contains("修一下"), "{last}");
        if exit == 4 {
            let message = host.of("failure")[0]["message"].as_str().unwrap().to_owned();
            assert!(message.contains("Start a new session"), "{message}");
        }
    }
}

/// A provider that never stops talking does not take all memory.
#[tokio::test(start_paused = true)]
async fn an_answer_without_an_end_in_sight_is_given_up() {
    let mut events = vec![Event::CallBegun { index: 0, id: "c".into(), name: "look".into() }];
    events.extend(vec![Event::CallPart { index: 0, text: "a".repeat(1 << 20) }; 4]);
    events.push(Event::End(Reason::Answered));
    let (stage, stub) = stub(vec![Ok(events)]).await;
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.exit, stub.count()), (4, 2));
    assert!(host.of("failure")[0]["message"].as_str().unwrap().contains("longer than 4 MiB"));
}
