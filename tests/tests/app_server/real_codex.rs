//! What the app-server of the real Codex does, beside what `codex exec` does.

use std::time::Duration;

use codex_driver::{AttemptEnd, Conversation, Progress, Retry, Way, Written};
use contract::advice::DriverKind;
use contract::failure::FailureCode;
use contract::id::ThreadId;
use contract::schema::ADVICE_WIRE;
use mock_model::{Beat, Hang, Reply};
use tests::harness::{survivors, wait_until};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fixture::{Fixture, PATIENCE, verdict};

#[tokio::test]
async fn a_turn_is_one_request_without_tools_and_the_same_as_by_exec() {
    let Some(fixture) = Fixture::real(Reply::Text("{}".to_owned())).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    assert_eq!(driver.kind(), DriverKind::AppServer);
    let prompt = "Which plan?\u{2028}--help 计划";
    let mut seen = Vec::new();
    let attempt = fixture.attempt(Conversation::Fresh, prompt);
    let end = driver.attempt(attempt, &CancellationToken::new(), |step| seen.push(step)).await;
    assert_eq!(end.outcome.as_ref().unwrap().text, "{}");
    assert_eq!((end.driver, end.refused_requests), (DriverKind::AppServer, 0));
    assert!(end.turn_id.is_some() && end.transcript_saved && end.log_records > 0, "{end:?}");
    assert_eq!((end.skipped_lines, end.warnings.len()), (0, 0), "{end:?}");
    assert_eq!(end.exit, Some(supervise::Exit::Code(0)));
    let signs = seen.extract_if(.., |step| matches!(step, Progress::Sign(_))).count();
    let written: Vec<_> =
        seen.extract_if(.., |step| matches!(step, Progress::Written(_))).collect();
    assert!(signs > 0);
    assert_eq!(written, [Progress::Written(Written::Answer { chars: 2, key: None })]);
    assert!(matches!(seen.remove(0), Progress::ProcessStarted { pid } if pid > 0));
    let expected = [
        Progress::ThreadStarted { thread_id: end.thread_id.unwrap() },
        Progress::TurnStarted,
        Progress::Item { kind: "agent_message".to_owned(), subject: None },
        Progress::TurnCompleted,
    ];
    assert_eq!(seen, expected);

    let exec = fixture.ask(&fixture.driver(Way::Exec).await, prompt).await;
    assert_eq!((exec.driver, exec.turn_id), (DriverKind::Exec, None));
    assert_eq!(exec.usage_total, end.usage_total);
    let requests = fixture.mock.requests();
    assert_eq!(requests.len(), 2, "one each");
    for request in &requests {
        assert_eq!(request.user_texts(), [prompt]);
        assert_eq!(request.tools(), Vec::<String>::new());
        let body = request.json();
        assert_eq!(body["text"]["format"]["schema"], *ADVICE_WIRE.document());
        assert_eq!(body["text"]["format"]["strict"], true);
        assert_eq!(body["reasoning"]["summary"], "auto");
        assert_eq!(body["model"], "gpt-5.5");
    }
    assert_eq!(requests[0].json()["instructions"], requests[1].json()["instructions"]);
}

/// Every scenario that the provider can play, through both drivers: the same code, the same retry and the
/// same number of requests.
#[tokio::test]
async fn each_way_to_fail_is_the_same_by_both_drivers() {
    let Some(mut fixture) = Fixture::real(Reply::Advice).await else { return };
    fixture.idle_timeout = Duration::from_secs(2);
    let drivers = [fixture.driver(Way::Exec).await, fixture.driver(Way::AppServer).await];
    let failed_as = |code: &str| Reply::Failed { code: code.to_owned(), message: "no".to_owned() };
    let (never, now) = (Retry::Never, Retry::Now);
    let pause = Retry::After(Duration::from_secs(5));
    let comments = Reply::Advice.paced(Beat::Comment, Duration::from_millis(300), 20);
    for (reply, code, retry) in [
        (Reply::error(400, "x", "bad"), FailureCode::BadRequest, never),
        (Reply::error(400, "invalid_json_schema", "Invalid schema"), FailureCode::Internal, never),
        (Reply::error(400, "invalid_prompt", "Invalid prompt: no"), FailureCode::Refused, never),
        (
            Reply::error(400, "context_length_exceeded", "too long"),
            FailureCode::ContextLength,
            never,
        ),
        (failed_as("context_length_exceeded"), FailureCode::ContextLength, never),
        (Reply::error(401, "invalid_api_key", "bad key"), FailureCode::Auth, never),
        (Reply::error(402, "x", "pay"), FailureCode::Quota, never),
        (Reply::error(403, "forbidden", "region"), FailureCode::Auth, never),
        (
            Reply::error(404, "model_not_found", "The model `m` does not exist"),
            FailureCode::ModelUnavailable,
            never,
        ),
        (Reply::error(408, "x", "slow"), FailureCode::Timeout, now),
        (Reply::error(413, "x", "large"), FailureCode::ContextLength, never),
        (Reply::error(429, "x", "slower"), FailureCode::RateLimited, pause),
        (Reply::error(429, "insufficient_quota", "pay"), FailureCode::Quota, never),
        (Reply::error(429, "usage_limit_reached", "wait"), FailureCode::Quota, never),
        (failed_as("rate_limit_exceeded"), FailureCode::RateLimited, pause),
        (Reply::error(500, "server_error", "oops"), FailureCode::UpstreamError, now),
        (Reply::error(502, "bad_gateway", "oops"), FailureCode::UpstreamError, now),
        (Reply::error(529, "overloaded", "oops"), FailureCode::UpstreamError, now),
        (failed_as("server_is_overloaded"), FailureCode::ModelUnavailable, pause),
        (
            Reply::Failed {
                code: "cyber_policy".to_owned(),
                message: "This content was flagged for possible cybersecurity risk.".to_owned(),
            },
            FailureCode::Refused,
            never,
        ),
        (failed_as("server_error"), FailureCode::UpstreamError, now),
        (failed_as("something_new"), FailureCode::UpstreamError, now),
        (Reply::Incomplete("max_output_tokens".to_owned()), FailureCode::BadOutput, never),
        (Reply::Incomplete("content_filter".to_owned()), FailureCode::Refused, never),
        (Reply::Cut, FailureCode::Network, now),
        (Reply::Empty, FailureCode::BadOutput, Retry::Repair),
        (Reply::Refusal("no".to_owned()), FailureCode::BadOutput, Retry::Repair),
        (Reply::Text(" \n".to_owned()), FailureCode::BadOutput, Retry::Repair),
        (Reply::Hang(Hang::AfterHeaders), FailureCode::Stalled, now),
        (Reply::Hang(Hang::MidStream), FailureCode::Stalled, now),
        (comments, FailureCode::Stalled, now),
    ] {
        for driver in &drivers {
            let before = fixture.mock.request_count();
            fixture.mock.set_script(reply.clone());
            let end = fixture.ask(driver, "Which plan?").await;
            assert_eq!(verdict(&end), Err((code, retry)), "{reply:?}: {end:?}");
            assert_eq!(fixture.mock.request_count() - before, 1, "{reply:?} {:?}", end.driver);
        }
    }
}

#[tokio::test]
async fn what_keeps_a_turn_from_being_asked_is_the_same_by_both_drivers() {
    let Some(fixture) = Fixture::real(Reply::Advice).await else { return };
    let unknown: ThreadId = "01a1fcff-ffff-7fff-bfff-ffffffffffff".parse().unwrap();
    for way in [Way::Exec, Way::AppServer] {
        let driver = fixture.driver(way.clone()).await;
        for conversation in
            [Conversation::Resume(unknown), Conversation::Fork { thread: unknown, last_turn: None }]
        {
            let end = fixture.run(&driver, fixture.attempt(conversation, "two")).await;
            let lost = (FailureCode::SessionLost, Retry::Never);
            assert_eq!(verdict(&end), Err(lost), "{end:?}");
        }
        // Port 9 (discard) is served nowhere.
        let home = fixture.home("http://127.0.0.1:9/v1".to_owned());
        let end = fixture.ask(&fixture.driver_in(home, way), "Which plan?").await;
        assert_eq!(verdict(&end), Err((FailureCode::Network, Retry::Now)), "{end:?}");
    }
    assert_eq!(fixture.mock.request_count(), 0);
}

#[tokio::test]
async fn the_threads_of_one_driver_go_on_by_the_other_and_their_totals_too() {
    let Some(fixture) = Fixture::real(Reply::Text("{}".to_owned())).await else { return };
    let exec = fixture.driver(Way::Exec).await;
    let app_server = fixture.driver(Way::AppServer).await;
    for (first, second) in [(&exec, &app_server), (&app_server, &exec), (&app_server, &app_server)]
    {
        let one = fixture.ask(first, "one").await;
        let resumed = Conversation::Resume(one.thread_id.unwrap());
        let two = fixture.run(second, fixture.attempt(resumed, "two")).await;
        assert!(two.outcome.is_ok(), "{two:?}");
        assert_eq!(two.thread_id, one.thread_id);
        let request = fixture.mock.requests().pop().unwrap();
        assert_eq!(request.user_texts(), ["one", "two"]);
        let own = two.usage_total.unwrap().since(one.usage_total.unwrap());
        assert_eq!(own, one.usage_total.unwrap());
    }
}

/// A prompt that failed stays in its thread; a copy up to the last completed turn does not have it.
#[tokio::test]
async fn after_a_failed_turn_a_copy_has_round_one_and_the_new_prompt_once() {
    let Some(fixture) = Fixture::real(Reply::Text("{}".to_owned())).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    let one = fixture.ask(&driver, "one").await;
    let thread = one.thread_id.unwrap();
    for reply in [Reply::error(500, "server_error", "oops"), Reply::Cut] {
        fixture.mock.set_script(reply);
        let failing = fixture.attempt(Conversation::Resume(thread), "a prompt that fails");
        assert!(fixture.run(&driver, failing).await.outcome.is_err());
    }
    fixture.mock.set_script(Reply::Hang(Hang::MidStream));
    let interrupted = fixture.attempt(Conversation::Resume(thread), "a prompt that is cut off");
    let cancel = CancellationToken::new();
    let end = driver.attempt(interrupted, &cancel, |step| {
        if let Progress::Sign(codex_driver::Sign::Answer) = step {
            cancel.cancel();
        }
    });
    assert_eq!(verdict(&end.await), Err((FailureCode::Cancelled, Retry::Never)));

    fixture.mock.set_script(Reply::Text("{}".to_owned()));
    let fork = Conversation::Fork { thread, last_turn: one.turn_id };
    let two = fixture.run(&driver, fixture.attempt(fork, "two")).await;
    assert!(two.outcome.is_ok(), "{two:?}");
    assert_ne!(two.thread_id, Some(thread));
    let request = fixture.mock.requests().pop().unwrap();
    assert_eq!(request.user_texts(), ["one", "two"]);
    let own = two.usage_total.unwrap().since(one.usage_total.unwrap());
    assert_eq!(own, one.usage_total.unwrap());
}

#[tokio::test]
async fn a_prompt_of_768_kib_works() {
    let Some(fixture) = Fixture::real(Reply::Text("{}".to_owned())).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    let line = "A line with \"quotes\", a tab\t and 计划.\n";
    let prompt = line.repeat((768 << 10) / line.len());
    let end = fixture.ask(&driver, &prompt).await;
    assert!(end.outcome.is_ok(), "{:?}", end.outcome);
    assert_eq!(end.skipped_lines, 0);
    assert!(end.stdout_bytes > 2 * (768 << 10), "it is echoed twice: {}", end.stdout_bytes);
    assert_eq!(fixture.mock.requests().pop().unwrap().user_texts(), [prompt]);
}

#[tokio::test]
async fn silence_before_the_head_is_a_stall_and_a_deadline_is_kept() {
    let Some(fixture) = Fixture::real(Reply::Hang(Hang::BeforeHeaders)).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    let soon = Duration::from_secs(2);
    let mut stalled = fixture.attempt(Conversation::Fresh, "Which plan?");
    stalled.stall = soon;
    let mut late = fixture.attempt(Conversation::Fresh, "Which plan?");
    late.deadline = Instant::now() + soon;
    let (stalled, late) = tokio::join!(fixture.run(&driver, stalled), fixture.run(&driver, late));
    assert_eq!(verdict(&stalled), Err((FailureCode::Stalled, Retry::Now)), "{stalled:?}");
    assert_eq!(verdict(&late), Err((FailureCode::Timeout, Retry::Never)), "{late:?}");
    assert!(late.duration < soon + Duration::from_secs(2), "{:?}", late.duration);
}

/// The connection to the model is closed with the cancel, in the head's place and in the middle.
#[tokio::test]
async fn a_cancelled_turn_closes_its_connection_and_leaves_nothing() {
    let Some(fixture) = Fixture::real(Reply::Advice).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    for hang in [Hang::BeforeHeaders, Hang::MidStream] {
        fixture.mock.set_script(Reply::Hang(hang));
        let cancel = CancellationToken::new();
        let before = fixture.mock.request_count();
        let attempt = fixture.attempt(Conversation::Fresh, "Which plan?");
        let run = driver.attempt(attempt, &cancel, |_| {});
        let watch = async {
            assert!(wait_until(PATIENCE, || fixture.mock.request_count() > before).await);
            assert!(wait_until(PATIENCE, || fixture.mock.open_connections() > 0).await);
            cancel.cancel();
        };
        let (end, ()): (AttemptEnd, ()) = tokio::join!(run, watch);
        assert_eq!(verdict(&end), Err((FailureCode::Cancelled, Retry::Never)), "{hang:?}");
        let closed = wait_until(PATIENCE, || fixture.mock.open_connections() == 0).await;
        assert!(closed, "{hang:?}");
        let mark = fixture.folder.root().to_string_lossy();
        assert!(survivors(&mark).is_empty(), "{:?}", survivors(&mark));
    }
}

#[tokio::test]
async fn a_handshake_asks_no_model_and_keeps_no_thread() {
    let Some(fixture) = Fixture::real(Reply::Advice).await else { return };
    let driver = fixture.driver(Way::AppServer).await;
    let (work, temp) = (fixture.folder.work().join("empty"), fixture.folder.temp());
    assert_eq!(driver.handshake(&work, &temp).await, Ok(()));
    assert_eq!(fixture.mock.request_count(), 0);
    assert!(!driver.home().join("sessions").exists(), "an ephemeral thread has no record");
}
