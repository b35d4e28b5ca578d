//! Both rounds through the real Codex and a scripted provider.

use std::fs;
use std::path::Path;
use std::time::Duration;

use mock_model::{MockModel, Reply};
use serde_json::json;
use tests::harness::{DaemonBuilder, codex_bin};

use crate::fixture::Advisor;

#[tokio::test]
async fn both_templates_are_two_rounds_in_one_thread() {
    let Some(codex) = codex_bin() else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let daemon = builder.start().await.unwrap();
    let advisor = Advisor::of(daemon.folder());
    let initial = advisor.tell(&["template"], "").await.stdout;
    let first = advisor.json(&["ask"], &initial, 0).await;
    let session = first["meta"]["session_id"].as_str().unwrap();
    let last = advisor.tell(&["template", "--phase", "final"], "").await.stdout;
    let last = advisor.json(&["ask", "--session", session], &last, 0).await;
    assert_eq!(last["meta"]["round"], json!(2));
    assert_eq!(last["meta"]["codex"]["thread_id"], first["meta"]["codex"]["thread_id"]);
    assert_eq!(mock.request_count(), 2, "one request a round");
}

#[tokio::test]
async fn a_terminal_shows_how_the_model_goes_on_and_a_pipe_does_not() {
    let Some(codex) = codex_bin() else { return };
    let reply = Reply::Advice.thought_and_written(Duration::from_millis(80));
    let mock = MockModel::local(reply).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let daemon = builder.start().await.unwrap();
    let advisor = Advisor::of(daemon.folder()).in_folder(&daemon.folder().work());
    let question = advisor.tell(&["template"], "").await.stdout;
    let piped = advisor.tell(&["ask"], &question).await;
    let (first, rest) = piped.stderr.split_once('\n').unwrap();
    assert!(first.starts_with("run_id: ") && rest.is_empty(), "{}", piped.stderr);

    let file = daemon.folder().work().join("question.yaml");
    fs::write(&file, question).unwrap();
    let program = env!("CARGO_BIN_EXE_advisor-under-test");
    let command = format!("'{program}' ask --again '{}'", file.display());
    // script(1) gives the command a terminal.
    let advisor = advisor.program(Path::new("script"));
    let shown = advisor.tell(&["-qefc", &command, "/dev/null"], "").await;
    assert_eq!(shown.code, Some(0), "{}", shown.stdout);
    for words in ["waiting for the model", "Codex thinks, ", "Codex writes its answer, ", "s ago"] {
        assert!(shown.stdout.contains(words), "{words}: {:?}", shown.stdout);
    }
}
