//! Keys and secrets: in no request, journal, event or end.

use agent::{Answer, Outcome};
use contract::xc::{CommandRun, PermitMode};
use mock_model::{ProviderError, Reply, Script, Turn};
use serde_json::json;

use crate::stage::{KEY, Kind, PROTOCOLS, ScriptedHost, Stage, look, tool, turn};

/// A secret that no one told us of; its form gives it away.
const TOKEN: &str = "ghp_R4nd0mT0k3nR4nd0mT0k3nR4nd0mT0k3n12";

/// Everywhere where a model, a user or a tool can put it.
fn script(secret: &'static str) -> Script {
    let calls = Turn::empty()
        .and_reasoning(&format!("the key {secret} is"), Some(&format!("signed {secret}")))
        .and_text(format!("I use {secret} now.\n"))
        .and_call("look", &json!({"text": format!("a {secret}")}))
        .and_call(&format!("tool-{secret}"), &json!({secret: secret}))
        .and_raw_call("look", format!("{{\"text\": \"{secret}"))
        .and_call("look", &json!({"text": 1, secret: secret}))
        .and_call("run", &json!({"text": format!("curl -H 'x-api-key: {secret}' localhost")}))
        .and_call("run", &json!({"text": format!("echo {secret} > a")}))
        .in_pieces(5);
    Script::sequence([calls.into()], Turn::text(format!("It is {secret}.")).in_pieces(3).into())
}

#[tokio::test]
async fn a_secret_is_in_no_request_journal_event_or_end() {
    for secret in [KEY, TOKEN] {
        for protocol in PROTOCOLS {
            let mut stage = Stage::speaking(protocol, script(secret)).await;
            stage.mode = PermitMode::Ask;
            stage.tools = vec![
                look(),
                tool("run", Kind::Runs, |arguments, _| async move {
                    let command = arguments["text"].as_str().unwrap().to_owned();
                    let text = format!("exit code: 0\n{command}");
                    let command = CommandRun { command, exit: Some(0) };
                    Outcome { command: Some(command), ..Outcome::ok(text) }
                }),
            ];
            let no = Answer::No(Some(format!("not with {secret}")));
            let host = ScriptedHost::answering([no, Answer::Once]);
            let mut session = stage.session();
            let end = turn(&mut session, &format!("use {secret} please"), &host).await;
            assert_eq!(end.exit, 0, "{end:?}");
            assert!(host.notes().contains("1 secret in the prompt masked"), "{}", host.notes());
            drop(session);
            let mut places = vec![
                format!("{end:?}"),
                format!("{:?}", host.told()),
                format!("{:?}", host.asked()),
                stage.on_disk(),
            ];
            places.extend(stage.requests().iter().map(|request| request.json().to_string()));
            for place in places {
                assert!(!place.contains(secret), "{protocol:?}: {place}");
                assert!(!place.contains(&secret[4..20]), "{protocol:?}: {place}");
            }
            assert!(end.answer.contains("[REDACTED:"), "{}", end.answer);
        }
    }
}

#[tokio::test]
async fn the_words_of_a_provider_are_masked() {
    let error = ProviderError::bad_request(format!("your key {KEY} and {TOKEN} are odd"));
    let stage = Stage::new(Reply::from(error)).await;
    let host = ScriptedHost::default();
    let end = turn(&mut stage.session(), "go", &host).await;
    let told = format!("{end:?} {:?} {}", host.told(), stage.on_disk());
    assert!(!told.contains("planted") && !told.contains("R4nd0m"), "{told}");
    assert!(told.contains("are odd"), "{told}");
}
