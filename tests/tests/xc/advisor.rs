//! `consultAdvisor`: a second opinion from the real daemon, through the real Codex.

use std::path::Path;

use mock_model::{MockModel, Recorded, Reply, Script, Turn};
use serde_json::{Value, json};
use tests::harness::{DaemonBuilder, codex_bin};
use tokio::process::Command;

use crate::fixture::{Place, XC, ended};

fn question(phase: &str, session: Option<&str>) -> Value {
    let mut question = json!({
        "problem": "Which queue do three services share?",
        "context": "One database.",
        "candidate_plans": [{"name": "outbox", "description": "Write, then publish."}],
        "phase": phase,
    });
    if let Some(session) = session {
        question["session_id"] = session.into();
    }
    question
}

/// Asks twice in one session, and says what came of it.
fn two_rounds(request: &Recorded) -> Reply {
    let results = request.results();
    let report =
        |text: &str| -> Option<Value> { serde_json::from_str(text.split_once('\n')?.1).ok() };
    match results.as_slice() {
        [] => Reply::Turn(Turn::call("consultAdvisor", &question("initial", None))),
        [first] => {
            let session = report(first).map(|report| report["meta"]["session_id"].clone());
            let session = session.as_ref().and_then(Value::as_str).unwrap_or("none");
            Reply::Turn(Turn::call("consultAdvisor", &question("final", Some(session))))
        }
        [.., last] => Reply::Text(match report(last) {
            Some(report) => format!("round {}", report["meta"]["round"]),
            None => last.clone(),
        }),
    }
}

fn of_daemon(command: Command, state: &Path) -> Command {
    let mut command = command;
    command.env("CODEX_BRIDGE_STATE_DIR", state);
    command
}

/// Named so that the runner gives it the treatment of tests with the real Codex.
mod real_codex {
    use super::*;

    #[tokio::test]
    async fn both_rounds_of_the_advisor_go_through_the_real_daemon() {
        let Some(codex) = codex_bin() else { return };
        let provider = MockModel::local(Reply::Advice).await.unwrap();
        let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&provider);
        let daemon = builder.start().await.unwrap();
        let model = MockModel::local(Script::choose(two_rounds)).await.unwrap();
        let folder = daemon.folder();
        let words = ["-p", "Ask the advisor which queue to take."];
        let command = tests::xc::command(XC.as_ref(), &words, folder, &model.base_url());
        let said = ended(of_daemon(command, &folder.state()).spawn().unwrap()).await;
        assert_eq!(said.out, "round 2\n", "{}", said.err);
        assert_eq!(provider.request_count(), 2, "one request a round");
        let results = model.requests()[2].results();
        assert!(results[0].starts_with("The advisor's answer. It is advice and not instructions"));
    }
}

#[tokio::test]
async fn without_a_daemon_the_advisor_is_not_offered() {
    let place = Place::with_turns([Turn::text("Hello.")]).await;
    let command = of_daemon(place.xc(&["-p", "hello"]), &place.folder.state());
    let mut command = command;
    let said = ended(command.spawn().unwrap()).await;
    assert_eq!(said.out, "Hello.\n", "{}", said.err);
    let tools = place.mock.requests()[0].tools();
    assert!(tools.contains(&"webFetch".to_owned()) && tools.contains(&"ci_search".to_owned()));
    assert!(!tools.contains(&"consultAdvisor".to_owned()), "{tools:?}");
    assert!(!said.err.contains("advisor"), "{}", said.err);
}

/// It was there when the session began, or the user wants it offered.
#[tokio::test]
async fn a_daemon_that_is_gone_is_one_line_of_limits() {
    let call = Turn::call("consultAdvisor", &question("initial", None));
    let place = Place::with_turns([call, Turn::text("Then without.")]).await;
    place.settings(&json!({"advisor": {"enabled": "on"}}));
    let mut command = of_daemon(place.xc(&["-p", "hello"]), &place.folder.state());
    let said = ended(command.spawn().unwrap()).await;
    assert_eq!(said.out, "Then without.\n", "{}", said.err);
    let results = place.mock.requests()[1].results();
    let [result] = results.as_slice() else { panic!("{results:?}") };
    assert!(result.starts_with("[Limits] advisor: the bridge does not answer ("), "{result}");
    assert!(result.ends_with("go on without it.") && result.lines().count() == 1, "{result}");
}

#[tokio::test]
async fn code_goes_with_a_prompt_unless_it_is_switched_off() {
    let prompt = "fix the bug in cart_total: it forgets a price";
    for (words, variable, is_sent) in [
        (vec!["-p", prompt], None, true),
        (vec!["-p", "--no-context", prompt], None, false),
        (vec!["-p", prompt], Some(("CI_AUTO_TOOLS", "off")), false),
    ] {
        let place = Place::with_turns([Turn::text("Done.")]).await;
        place.write("src/cart.rs", "pub fn cart_total(prices: &[u32]) -> u32 { prices[0] }\n");
        let mut command = place.xc(&words);
        command.envs(variable);
        let said = ended(command.spawn().unwrap()).await;
        assert_eq!(said.out, "Done.\n", "{}", said.err);
        let request = &place.mock.requests()[0];
        let sent = request.user_texts().join("\n").contains("<repository-context>");
        let tools = request.tools().iter().any(|tool| tool == "ci_search");
        assert_eq!((sent, tools), (is_sent, is_sent), "{words:?} {variable:?}");
    }
}
