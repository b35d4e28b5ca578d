//! Turns that end with an answer, from prompt to evidence.

use agent::Outcome;
use contract::xc::{CommandRun, EndReason, TokenUsage};
use mock_model::{Reply, Script, Turn, Usage};
use serde_json::json;

use crate::stage::{Kind, PROTOCOLS, ScriptedHost, Stage, change, look, tool, turn};

fn is_send<T: Send>(value: T) -> T {
    value
}

/// The acceptance of the loop: read, change, test, answer, in each protocol.
#[tokio::test]
async fn a_task_is_read_changed_tested_and_answered_in_each_protocol() {
    for protocol in PROTOCOLS {
        let script = Script::sequence(
            [
                Turn::text("I look.\n").and_call("look", &json!({"text": "a.rs"})).in_pieces(2),
                Turn::call("mend", &json!({"text": "b"})),
                Turn::call("run", &json!({"text": "cargo test"})),
            ]
            .map(Reply::from),
            Turn::text("修好了。\nAll tests pass.").in_pieces(3).into(),
        );
        let mut stage = Stage::speaking(protocol, script).await;
        let root = stage.folder.path().canonicalize().unwrap();
        stage.tools = vec![
            look(),
            tool("mend", Kind::Runs, move |_, _| {
                let changed = vec![root.join("src/a.rs")];
                async move { Outcome { changed, ..Outcome::ok("src/a.rs changed") } }
            }),
            tool("run", Kind::Runs, |_, _| async {
                let command = CommandRun { command: "cargo test".into(), exit: Some(0) };
                Outcome { command: Some(command), ..Outcome::ok("exit code: 0\nok") }
            }),
        ];
        let mut session = stage.session();
        let host = ScriptedHost::default();
        let end = is_send(turn(&mut session, "修一下 a.rs", &host)).await;

        assert_eq!((end.reason, end.exit), (EndReason::Answered, 0), "{protocol:?}");
        assert_eq!(end.answer, "修好了。\nAll tests pass.");
        assert_eq!(end.changed, ["src/a.rs"]);
        assert_eq!(end.commands, [CommandRun { command: "cargo test".into(), exit: Some(0) }]);
        assert_eq!(end.denied, []);
        assert_eq!(end.usage, TokenUsage { input: 400, cached: 40, output: 80 });
        let id = protocol.0.parse().unwrap();
        let has_price = llm::Catalogue::built_in().price(&id).is_some();
        assert_eq!(end.cost_usd.is_some_and(|cost| cost > 0.0), has_price);
        let evidence = host.of("evidence");
        assert_eq!(evidence[0]["tests"], "passed");
        let step = ["call", "permission", "result"];
        let beside = ["note", "text", "usage"];
        let mut kinds = host.kinds();
        kinds.retain(|kind| !beside.contains(&kind.as_str()));
        let mut expected = vec!["prompt"];
        (0..3).for_each(|_| expected.extend(step));
        expected.push("evidence");
        assert_eq!(kinds, expected, "{protocol:?}");
        let told: String =
            host.of("text").iter().map(|text| text["delta"].as_str().unwrap().to_owned()).collect();
        assert_eq!(told, "I look.\n修好了。\nAll tests pass.");
        let requests = stage.requests();
        assert_eq!(requests.len(), 4);
        assert_eq!(requests[3].results(), ["saw a.rs", "src/a.rs changed", "exit code: 0\nok"]);
    }
}

/// XC-50: calls decide, not the provider's word.
#[tokio::test]
async fn calls_go_on_whatever_the_reason_of_the_end_is() {
    for end in ["stop", "end_turn", "STOP", "other"] {
        let call = Turn::call("look", &json!({"text": "a"}));
        let call = call.ending(mock_model::End::Named(end.to_owned()));
        let script = Script::sequence([call.into()], Turn::text("Done.").into());
        let stage = Stage::new(script).await;
        let end = turn(&mut stage.session(), "go", &ScriptedHost::default()).await;
        assert_eq!((end.answer.as_str(), stage.requests().len()), ("Done.", 2));
    }
}

#[tokio::test]
async fn the_limit_of_steps_ends_the_turn_and_keeps_what_is_done() {
    let call = |_: &_| Turn::call("look", &json!({"text": "a"})).into();
    let mut stage = Stage::new(Script::choose(call)).await;
    stage.limits.max_steps = 3;
    stage.tools = vec![{
        let count = std::sync::atomic::AtomicUsize::new(0);
        tool("look", Kind::Reads, move |_, _| {
            let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            async move { Outcome::ok(format!("number {number}")) }
        })
    }];
    let mut session = stage.session();
    let host = ScriptedHost::default();
    let end = turn(&mut session, "go", &host).await;
    assert_eq!((end.reason, end.exit, end.answer.as_str()), (EndReason::TurnLimit, 5, ""));
    assert!(host.notes().contains("Stopped after 3 model calls"), "{}", host.notes());
    assert_eq!((stage.requests().len(), host.of("result").len()), (3, 3));
    // The session goes on, and all calls have their results.
    stage.mock.set_script(Reply::from(Turn::text("Done.")));
    let end = turn(&mut session, "and now?", &ScriptedHost::default()).await;
    assert_eq!((end.exit, end.answer.as_str()), (0, "Done."));
    assert_eq!(stage.requests()[3].results(), ["number 0", "number 1", "number 2"]);
}

#[tokio::test]
async fn the_limit_of_the_cost_ends_the_turn_before_the_next_request() {
    let usage = Usage {
        input_tokens: 1_000_000,
        cached_input_tokens: 0,
        output_tokens: 0,
        reasoning_tokens: 0,
    };
    let call = Turn::call("look", &json!({"text": "a"})).costing(usage);
    let mut stage = Stage::new(Reply::from(call)).await;
    stage.limits.max_cost_usd = Some(2.4);
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.reason, end.exit), (EndReason::CostLimit, 5));
    assert_eq!((end.cost_usd, stage.requests().len()), (Some(2.0), 1), "the next would exceed it");
    assert!(host.notes().contains("limit of 2.4 US dollars"), "{}", host.notes());
}

/// XC-64: an unknown price is not nothing, and a limit that cannot be held is told.
#[tokio::test]
async fn an_unknown_price_is_told() {
    let custom = ("custom:foo", mock_model::Dialect::CUSTOM, "/v1");
    let mut stage = Stage::speaking(custom, Reply::Text("Done.".into())).await;
    stage.limits.max_cost_usd = Some(1.0);
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.exit, end.cost_usd), (0, None));
    assert!(host.notes().contains("price of custom:foo is not known"), "{}", host.notes());
    assert!(host.notes().contains("128000 tokens are assumed"), "{}", host.notes());
}

#[tokio::test]
async fn the_same_call_with_the_same_result_is_noted_and_then_ends_the_turn() {
    let stage = Stage::new(Reply::from(Turn::call("look", &json!({"text": "a"})))).await;
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    assert_eq!((end.reason, end.exit), (EndReason::TurnLimit, 5));
    assert!(host.notes().contains("the same call had the same result five times"));
    let requests = stage.requests();
    assert_eq!(requests.len(), 5);
    let noted: Vec<bool> = requests[4]
        .results()
        .iter()
        .map(|result| result.contains("gave this very result three times"))
        .collect();
    assert_eq!(noted, [false, false, true, false]);
}

#[tokio::test]
async fn a_tool_of_two_names_is_offered_once() {
    let mut stage = Stage::new(Reply::Text("Done.".into())).await;
    stage.tools = vec![look(), change(), look()];
    let session = stage.session();
    assert_eq!(session.tools(), ["look", "change"]);
}
