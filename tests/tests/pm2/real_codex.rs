//! The same with the real Codex.

use mock_model::{Hang, MockModel, Reply, Script};
use rustix::process::Signal;
use tests::harness::codex_bin;

use crate::fixture::{Pm2, gone, question, record, run_in_turn, signal};

#[tokio::test]
async fn a_killed_daemon_leaves_no_codex_and_its_successor_answers() {
    let (Some(codex), Some(pm2)) = (codex_bin(), Pm2::new()) else { return };
    let script = Script::sequence([Reply::Hang(Hang::BeforeHeaders)], Reply::Advice);
    let mock = MockModel::local(script).await.unwrap();
    let pm2 = pm2
        .env("CODEX_BRIDGE_CODEX_BIN", codex)
        .env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url());
    pm2.start().await;
    let client = pm2.client().await;
    let accepted = client.analyze_async(&question("")).await.unwrap();
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let run_id = run_in_turn(&client).await;
    let asked = tests::harness::wait_until(crate::fixture::LIMIT, || mock.request_count() == 1);
    assert!(asked.await, "the model was not asked");
    let old = pm2.app().await;
    signal(old.pid, Signal::KILL);
    gone(&run_id).await;
    pm2.next(&old).await;
    let client = pm2.client().await;
    let record = record(&client, &run_id).await;
    assert_eq!(record["outcome"]["error"]["code"], "interrupted", "{record:#}");
    let answer = client.analyze(&question("")).await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}
