//! One ledger for two agents: what the court wrote in the real client is shown by xc, and what a session of xc came to
//! reaches the client's model.

use std::path::Path;
use std::process::Stdio;

use mock_model::{MockModel, Reply as Said, Turn};
use serde_json::json;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{Court, agent, ended_well, of_main, then_stop};

/// What `xc` printed on standard error.
async fn xc(court: &Court, words: &[&str], reply: Said) -> String {
    let mock = MockModel::local(reply).await.unwrap();
    let base_url = mock.base_url();
    let program = Path::new(env!("CARGO_BIN_EXE_xc-under-test"));
    let mut command = tests::xc::command(program, words, court.folder(), &base_url);
    // The same user, whose state folder the court writes into.
    command.env("HOME", court.root().join("claude-home")).current_dir(court.project());
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
async fn anchors_travel_both_ways_between_the_client_and_xc() {
    let Some(court) = Court::new() else { return };
    let script = Script::new()
        .main(|_| Reply::tool("Agent", agent("general-purpose", "look at the door", "LOOK")))
        .sub_agent(|_| Reply::text("The door is made of wood.\nRISK_HIGH: it does not lock"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("look").await.unwrap());

    // What the court wrote is shown, as what was written here. Without the yes to it, nothing is written.
    let call = || Said::Turn(Turn::call("glob", &json!({ "pattern": "*" })));
    let before = court.file("cal.json");
    let said = xc(&court, &["-p", "--max-turns", "1", "look at the gate"], call()).await;
    assert!(said.contains("High risk: it does not lock (risk_"), "{said}");
    assert!(!said.contains("came with the project") && said.contains("ledger"), "{said}");
    assert_eq!(court.file("cal.json"), before);

    // With it, what is left open becomes an anchor of the court's own.
    let said = xc(&court, &["-p", "-t", "--max-turns", "1", "build the fence"], call()).await;
    assert!(said.contains("stopped at --max-turns"), "{said}");
    let open = court.anchors("TASK_ACTIVE");
    assert_eq!(
        open,
        ["left open in a session of xc: build the fence (it reached the limit of its steps)"]
    );

    // The client's model is told of it, as the court's own, and the end is not held for it.
    let script = Script::new().main(|_| Reply::text("I am done.")).main(|_| Reply::text("Told."));
    let api = MessagesApi::start(script).await.unwrap();
    ended_well(&court.client(&api).prompt("hello").await.unwrap());
    let requests = of_main(&api);
    let begin = requests[0].everything();
    assert!(begin.contains("<court-ledger") && begin.contains(&open[0]), "{begin}");
    assert!(!begin.contains("<court-project-ledger"), "{begin}");
    let held = requests[1].news();
    assert!(held.contains("it does not lock") && !held.contains("build the fence"), "{held}");

    // Gone on with and done, it is open no more, in either.
    let said = xc(&court, &["-p", "-t", "--resume", "go on"], Said::Text("Built.".into())).await;
    assert_eq!(court.anchors("TASK_ACTIVE"), Vec::<String>::new(), "{said}");
    assert_eq!(court.anchors("RISK_HIGH"), ["it does not lock"]);
}
