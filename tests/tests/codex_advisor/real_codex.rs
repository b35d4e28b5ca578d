//! Both rounds through the real Codex and a scripted provider.

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
