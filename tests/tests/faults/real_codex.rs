//! The faults that only the real Codex shows, with a scripted provider behind it.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use mock_model::{Hang, MockModel, Reply, Script};
use tests::harness::{Daemon, DaemonBuilder, codex_bin, wait_until};

use crate::daemon_killed::killed;
use crate::disk::{fill, on_small_disk};
use crate::fixture::{
    KEY, LIMIT, Role, ask, end_of, in_turn, kill, process, question, record, second_round,
    signed_in, start,
};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_secs(6);

/// What the question says to the stand-in; the real one reads it as text.
const ANY: &str = "ok";

/// A daemon with the real Codex and a provider; `None` where there is no Codex, which is said.
async fn fixture(script: impl Into<Script>) -> Option<(DaemonBuilder, MockModel)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = signed_in(DaemonBuilder::new().unwrap())
        .codex(&codex)
        .env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url());
    Some((builder, mock))
}

/// Waits until the provider has been asked that often.
async fn asked(mock: &MockModel, count: u64) {
    assert!(wait_until(LIMIT, || mock.request_count() >= count).await, "never {count} requests");
}

/// Row 2.
#[tokio::test]
async fn a_provider_that_hangs_is_ended_at_the_deadline() {
    let Some((builder, mock)) = fixture(Reply::Hang(Hang::BeforeHeaders)).await else { return };
    let daemon = builder.start().await.unwrap();
    let silent = ask(&daemon, &question(ANY, SHORT)).await;
    assert_eq!(silent.verdict(), "504 timeout, 1 attempts");
    // Whole advice was said, and the turn was never completed.
    mock.set_script(Reply::Hang(Hang::MidStream));
    let silent = ask(&daemon, &question(ANY, SHORT)).await;
    assert_eq!(silent.verdict(), "504 timeout, 1 attempts");
}

/// Row 2: with time left, another try is made, in another thread.
#[tokio::test]
async fn a_stalled_turn_is_tried_again_elsewhere() {
    let script = Script::sequence([Reply::Hang(Hang::MidStream)], Reply::Advice);
    let Some((builder, mock)) = fixture(script).await else { return };
    let daemon = builder.env("CODEX_BRIDGE_STALL_MS", "4000").start().await.unwrap();
    let second = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(second.verdict(), "200 advice, 2 attempts");
    let requests = mock.requests();
    let texts: Vec<_> = requests.iter().map(|request| request.user_texts().len()).collect();
    assert_eq!(texts.first(), texts.last(), "the second thread holds nothing of the first");
}

/// Row 3.
#[tokio::test]
async fn a_provider_that_cannot_be_reached_is_a_network_failure() {
    let Some((builder, _mock)) = fixture(Reply::Advice).await else { return };
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let builder = builder.env("CODEX_BRIDGE_CODEX_BASE_URL", format!("http://{free}/v1"));
    let daemon = builder.start().await.unwrap();
    let refused = ask(&daemon, &question(ANY, SHORT)).await;
    assert_eq!(refused.answer.code().unwrap().as_str(), "network", "{refused:?}");
    assert_ne!(refused.summary(), "", "{refused:?}");
}

/// Row 4: killed in its turn.
#[tokio::test]
async fn a_killed_codex_gets_one_more_try() {
    let script = Script::sequence([Reply::Hang(Hang::MidStream)], Reply::Advice);
    let Some((builder, mock)) = fixture(script).await else { return };
    let daemon = builder.start().await.unwrap();
    let run_id = start(&daemon, &question(ANY, LONG)).await;
    asked(&mock, 1).await;
    kill(process(&run_id, Role::Codex).await);
    assert_eq!(end_of(&daemon, &run_id).await, "succeeded advice, 2 attempts");

    mock.set_script(Reply::Hang(Hang::MidStream));
    let before = mock.request_count();
    let run_id = start(&daemon, &question(ANY, LONG)).await;
    for count in 1..=2 {
        asked(&mock, before + count).await;
        kill(process(&run_id, Role::Codex).await);
    }
    assert_eq!(end_of(&daemon, &run_id).await, "failed crashed, 2 attempts");
}

/// Row 4: the system ends it for the size of a file (SIGXFSZ).
#[tokio::test]
async fn a_codex_over_a_limit_of_the_system_has_crashed() {
    let Some((builder, _mock)) = fixture(Reply::Advice).await else { return };
    let codex = builder.folder().work().join("codex");
    let real = codex_bin().unwrap();
    // Only a turn is limited: the rest is how Codex is looked at.
    let script = format!(
        "#!/bin/sh\ncase $1 in exec|app-server) ulimit -f 64;; esac\nexec '{}' \"$@\"\n",
        real.display(),
    );
    fs::write(&codex, script).unwrap();
    fs::set_permissions(&codex, Permissions::from_mode(0o755)).unwrap();
    let daemon = builder.codex(&codex).start().await.unwrap();
    let cut = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(cut.verdict(), "502 crashed, 2 attempts");
}

/// Row 4: a stream that breaks after whole advice was said.
#[tokio::test]
async fn advice_of_a_broken_stream_does_not_count() {
    let Some((builder, _mock)) = fixture(Reply::Cut).await else { return };
    let daemon = builder.start().await.unwrap();
    let broken = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(broken.verdict(), "502 network, 2 attempts");
}

/// Row 12.
#[tokio::test]
async fn an_unusable_answer_is_mended_in_the_same_thread() {
    let script = Script::sequence([Reply::Text("no JSON".to_owned())], Reply::Advice);
    let Some((builder, mock)) = fixture(script).await else { return };
    let daemon = builder.start().await.unwrap();
    let mended = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(mended.verdict(), "200 advice, 2 attempts");
    let texts: Vec<_> = mock.requests().iter().map(|each| each.user_texts().len()).collect();
    assert!(texts.last() > texts.first(), "the repair was asked in the thread: {texts:?}");
    for reply in [Reply::Empty, Reply::Text(String::new()), Reply::Text("no".to_owned())] {
        mock.set_script(reply.clone());
        let unusable = ask(&daemon, &question(ANY, LONG)).await;
        assert_eq!(unusable.verdict(), "502 bad_output, 2 attempts", "{reply:?}");
    }
}

/// Row 13.
#[tokio::test]
async fn a_refused_key_is_told_without_the_key_and_not_tried_again() {
    let refusal = format!("Incorrect API key provided: {KEY}.");
    let reply = Reply::error(401, "invalid_api_key", &refusal);
    let Some((builder, mock)) = fixture(reply).await else { return };
    let daemon = builder.start().await.unwrap();
    // That the key is nowhere in answer, record and log is checked for every answer.
    let refused = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(refused.verdict(), "502 auth, 1 attempts");
    assert!(refused.summary().contains("[REDACTED"), "{:?}", refused.summary());
    let sent = mock.requests();
    let keys = sent.iter().filter_map(|request| request.header("authorization"));
    assert!(keys.clone().all(|key| key == format!("Bearer {KEY}")));
    assert_eq!(keys.count(), 1, "one attempt is one request");
}

/// Row 14.
#[tokio::test]
async fn a_full_disk_costs_the_transcript_and_not_the_answer() {
    let Some((builder, mock)) = fixture(Reply::Advice).await else { return };
    // The transcripts have the disk for themselves: Codex's databases give room back as they please.
    let transcripts = "codex-home/sessions";
    let Some(builder) = on_small_disk(builder, transcripts, "1m") else { return };
    let daemon = builder.start().await.unwrap();
    assert_eq!(ask(&daemon, &question(ANY, LONG)).await.verdict(), "200 advice, 1 attempts");
    let filler = fill(&daemon.state().join(transcripts));
    let first = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(first.verdict(), "200 advice, 1 attempts");
    assert!(first.limits().contains("could not save the conversation"), "{}", first.limits());
    fs::remove_file(filler).unwrap();

    let session = &first.answer.body["meta"]["session_id"];
    let second = ask(&daemon, &second_round(question(ANY, LONG), session)).await;
    assert_eq!(second.verdict(), "200 advice, 1 attempts");
    assert!(second.limits().contains("round 1 was restated"), "{}", second.limits());
    let last = mock.requests().pop().unwrap();
    assert!(last.user_texts().concat().matches("fake-codex: ok").count() >= 2, "both rounds");
}

/// Row 17.
#[tokio::test]
async fn a_killed_daemon_leaves_no_codex_and_its_sessions_go_on() {
    let Some((builder, mock)) = fixture(Reply::Advice).await else { return };
    let mut daemon: Daemon = builder.start().await.unwrap();
    let first = ask(&daemon, &question(ANY, LONG)).await;
    assert_eq!(first.verdict(), "200 advice, 1 attempts");
    let session = &first.answer.body["meta"]["session_id"];
    let input = second_round(question(ANY, LONG), session);
    for hang in [Hang::BeforeHeaders, Hang::MidStream] {
        mock.set_script(Reply::Hang(hang));
        let before = mock.request_count();
        let run_id = start(&daemon, &input).await;
        in_turn(&daemon, &run_id).await;
        asked(&mock, before + 1).await;
        daemon = killed(daemon).await;
        assert_eq!(record(&daemon, &run_id).await["run"]["state"], "interrupted", "{hang:?}");
    }
    mock.set_script(Reply::Advice);
    let second = ask(&daemon, &input).await;
    assert_eq!(second.verdict(), "200 advice, 1 attempts");
    assert_eq!(second.answer.body["meta"]["round"], 2);
    // Whatever the killed turns left behind: round 1 comes first, this question last.
    let said = mock.requests().pop().unwrap().user_texts();
    let rounds: Vec<_> = said.iter().filter(|text| text.contains("fake-codex: ok")).collect();
    assert!(rounds.first().unwrap().starts_with("This is round 1"), "{said:#?}");
    assert!(rounds.last().unwrap().starts_with("This is round 2"), "{said:#?}");
}
