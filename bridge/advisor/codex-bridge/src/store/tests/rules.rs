//! What is accepted, what is kept, what is shown.

use contract::event::EventName;
use contract::run::{RunKind, RunState};

use super::*;
use crate::session::Refusal;

/// Positions and names.
fn events(events: &[Event]) -> Vec<(u64, &str)> {
    events.iter().map(|event| (event.seq.unwrap(), event.name.as_str())).collect()
}

fn event(seq: u64) -> Event {
    Event { seq: Some(seq), name: EventName::Progress, data: json!({ "n": seq }) }
}

#[tokio::test]
async fn a_dialogue_of_two_rounds_survives_restarts_between_them() {
    let bench = Bench::new();
    let store = bench.open().await;
    let first = lease(&store, new_run(Phase::Initial, None)).await;
    assert_eq!((first.round.number, first.round.left_after, &first.previous), (1, 1, &None));
    let session_id = first.session_id;
    store.start(first.run_id).await.unwrap();
    finish(&store, first.run_id, advice_finish()).await;
    store.close().await;

    let store = bench.open().await;
    let second = lease(&store, new_run(Phase::Final, Some(session_id))).await;
    assert_eq!((second.round.number, second.round.left_after), (2, 0));
    let previous = second.previous.unwrap();
    assert_eq!(previous.thread, Some(thread()));
    assert_eq!(previous.failed_tries, 0);
    assert_eq!(previous.question, Some(question(Phase::Initial, None)));
    assert_eq!(previous.advice.unwrap().raw_text, "text");
    finish(&store, second.run_id, advice_finish()).await;
    store.close().await;

    let store = bench.open().await;
    let third = refusal(&store, new_run(Phase::Final, Some(session_id))).await;
    assert_eq!(third, Refusal::RoundLimit);
    let session = store.session(session_id).await.unwrap().unwrap();
    assert_eq!((session.rounds_used, session.rounds_left), (2, 0));
    assert_eq!(session.thread_id, Some(thread().id));
    assert_eq!(session.created_at, "2023-11-14T22:13:20.000Z");
    assert_eq!(session.expires_at, "2023-11-15T22:13:20.000Z");
    let states: Vec<_> = session.runs.iter().map(|run| (run.round, run.state)).collect();
    assert_eq!(states, [(1, RunState::Succeeded), (2, RunState::Succeeded)]);
}

#[tokio::test]
async fn a_round_without_advice_can_be_asked_again() {
    let bench = Bench::new();
    let store = bench.open().await;
    let first = lease(&store, new_run(Phase::Initial, None)).await;
    let session_id = Some(first.session_id);
    let busy = refusal(&store, new_run(Phase::Initial, session_id)).await;
    assert_eq!(busy, Refusal::SessionBusy { run_id: first.run_id });
    finish(&store, first.run_id, failed_finish(FailureCode::Timeout)).await;

    let early = refusal(&store, new_run(Phase::Final, session_id)).await;
    assert_eq!(early, Refusal::PhaseOrder { expected: Phase::Initial, given: Phase::Final });
    let again = lease(&store, new_run(Phase::Initial, session_id)).await;
    finish(&store, again.run_id, advice_finish()).await;

    let spent = Usage { input_tokens: 99, ..Usage::default() };
    for failed_tries in 0..3 {
        let second = lease(&store, new_run(Phase::Final, session_id)).await;
        let previous = second.previous.unwrap();
        assert_eq!(previous.failed_tries, failed_tries);
        let usage = previous.thread.unwrap().usage_total;
        let expected = if failed_tries == 0 { thread().usage_total } else { Some(spent) };
        assert_eq!(usage, expected, "what a failed run spent in the thread is remembered");
        store.start(second.run_id).await.unwrap();
        let thread = Some(Thread { usage_total: Some(spent), ..thread() });
        let failed = Finish { thread, ..failed_finish(FailureCode::Crashed) };
        finish(&store, second.run_id, failed).await;
    }
    // Cancelled in the queue: Codex was never reached, the thread is as it was.
    let queued = lease(&store, new_run(Phase::Final, session_id)).await;
    finish(&store, queued.run_id, failed_finish(FailureCode::Cancelled)).await;
    let last = lease(&store, new_run(Phase::Final, session_id)).await;
    assert_eq!(last.previous.unwrap().failed_tries, 3);
}

#[tokio::test]
async fn an_idempotency_key_means_one_run_even_after_a_restart() {
    let bench = Bench::new();
    let store = bench.open().await;
    let key = || IdempotencyKey::parse("key-1").unwrap();
    let named = || NewRun { key: Some(key()), ..new_run(Phase::Initial, None) };
    assert_eq!(store.replay(key(), [0; 32]).await.unwrap(), None);
    let first = lease(&store, named()).await;
    assert_eq!(store.accept(named()).await.unwrap(), Accept::Replayed(first.run_id));
    finish(&store, first.run_id, failed_finish(FailureCode::Network)).await;
    store.close().await;

    let store = bench.open().await;
    assert_eq!(store.accept(named()).await.unwrap(), Accept::Replayed(first.run_id));
    let found = store.replay(key(), [0; 32]).await.unwrap();
    assert_eq!(found, Some(Accept::Replayed(first.run_id)));
    let other = NewRun { body_hash: [1; 32], ..named() };
    let conflict = Refusal::IdempotencyConflict { run_id: first.run_id };
    assert_eq!(refusal(&store, other).await, conflict);
    assert_eq!(store.runs(RunFilter::default()).await.unwrap().runs.len(), 1);
}

#[tokio::test]
async fn a_refused_request_uses_nothing_up() {
    let bench = Bench::new();
    let store = bench.open().await;
    let unknown = NewRun {
        key: IdempotencyKey::parse("k"),
        ..new_run(Phase::Final, Some(SessionId::generate()))
    };
    assert_eq!(refusal(&store, unknown.clone()).await, Refusal::UnknownSession);
    assert_eq!(store.replay(unknown.key.unwrap(), [0; 32]).await.unwrap(), None);
    assert_eq!(store.runs(RunFilter::default()).await.unwrap().runs, []);
}

#[tokio::test]
async fn a_session_expires_and_is_said_to_until_retention_removes_it() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    finish(&store, run.run_id, advice_finish()).await;
    let again = || new_run(Phase::Final, Some(run.session_id));
    let expired_at = Timestamp::from_millisecond(START_MS + 24 * HOUR_MS).unwrap();
    bench.pass(24 * HOUR_MS);
    assert_eq!(refusal(&store, again()).await, Refusal::SessionExpired { expired_at });
    assert_eq!(store.purge().await.unwrap(), Purged::default());
    bench.pass(30 * 24 * HOUR_MS);
    assert_eq!(store.purge().await.unwrap(), Purged { runs: 1, sessions: 1 });
    assert_eq!(refusal(&store, again()).await, Refusal::UnknownSession);
    assert_eq!(store.run(run.run_id).await.unwrap(), None);
}

#[tokio::test]
async fn retention_removes_what_is_old_in_batches_and_nothing_in_flight() {
    let bench = Bench::new();
    let store = bench.open().await;
    let key = IdempotencyKey::parse("old").unwrap();
    let flying = lease(&store, new_run(Phase::Initial, None)).await;
    for index in 0..250 {
        let key = (index == 0).then(|| key.clone());
        let run = lease(&store, NewRun { key, ..new_run(Phase::Initial, None) }).await;
        let last = LastEvents { events: vec![event(1)], end_seq: Some(2) };
        store.finish(run.run_id, advice_finish(), last).await.unwrap();
    }
    bench.pass(31 * 24 * HOUR_MS);
    let young = lease(&store, new_run(Phase::Initial, None)).await;
    assert_eq!(store.purge().await.unwrap(), Purged { runs: 250, sessions: 250 });
    assert_eq!(store.replay(key, [0; 32]).await.unwrap(), None);
    let left: Vec<_> =
        store.runs(RunFilter::default()).await.unwrap().runs.iter().map(|run| run.run_id).collect();
    assert_eq!(left, [young.run_id, flying.run_id]);
}

/// Fills the store with some 6 MiB that are past the retention, and a run that is not.
async fn filled(bench: &Bench) -> Store {
    let store = bench.open().await;
    for _ in 0..60 {
        let new = with_context(new_run(Phase::Initial, None), "x".repeat(100_000));
        let run = lease(&store, new).await;
        finish(&store, run.run_id, advice_finish()).await;
    }
    bench.pass(31 * 24 * HOUR_MS);
    lease(&store, new_run(Phase::Initial, None)).await;
    store
}

#[tokio::test]
async fn the_file_shrinks_after_the_retention() {
    let bench = Bench::new();
    let path = bench.dir.path().join("state.sqlite");
    let store = filled(&bench).await;
    assert_eq!(store.purge().await.unwrap(), Purged { runs: 60, sessions: 60 });
    assert!(store.shrink().await.unwrap() > 1_400);
    assert_eq!(store.shrink().await.unwrap(), 0, "it was all");
    store.close().await;
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes < 600_000, "{bytes}");
    assert_eq!(bench.open().await.runs(RunFilter::default()).await.unwrap().runs.len(), 1);
}

#[tokio::test]
async fn a_file_of_an_earlier_version_learns_to_shrink() {
    let bench = Bench::new();
    let path = bench.dir.path().join("state.sqlite");
    filled(&bench).await.close().await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
    let mode: i64 = connection.query_row("PRAGMA auto_vacuum", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, 0, "as earlier versions made it");
    drop(connection);

    let store = bench.open().await;
    assert_eq!(store.runs(RunFilter::default()).await.unwrap().runs.len(), 50, "a whole page");
    store.purge().await.unwrap();
    assert!(store.shrink().await.unwrap() > 1_400);
    store.close().await;
    assert!(std::fs::metadata(&path).unwrap().len() < 600_000);
}

#[tokio::test]
async fn the_clock_may_go_back() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    bench.pass(-HOUR_MS);
    store.start(run.run_id).await.unwrap();
    finish(&store, run.run_id, advice_finish()).await;
    assert_eq!(store.purge().await.unwrap(), Purged::default());
    let shown = store.run(run.run_id).await.unwrap().unwrap().run;
    assert_eq!(shown.finished_at.as_ref(), Some(&shown.created_at), "never before its beginning");
    assert_eq!(shown.duration_ms, Some(1234), "a duration is no matter of the wall clock");
    lease(&store, new_run(Phase::Final, Some(run.session_id))).await;
}

#[tokio::test]
async fn the_history_is_filtered_and_paged_newest_first() {
    let bench = Bench::new();
    let store = bench.open().await;
    let mut ids = Vec::new();
    for index in 0..7 {
        let run = lease(&store, new_run(Phase::Initial, None)).await;
        ids.push(run.run_id);
        match index % 3 {
            0 => finish(&store, run.run_id, failed_finish(FailureCode::Quota)).await,
            1 => finish(&store, run.run_id, advice_finish()).await,
            _ => {}
        }
    }
    ids.reverse();
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let filter = RunFilter { before, limit: Some(3), ..RunFilter::default() };
        let page = store.runs(filter).await.unwrap();
        seen.extend(page.runs.iter().map(|run| run.run_id));
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids);
    let count = async |filter| store.runs(filter).await.unwrap().runs.len();
    let quota = RunFilter { code: Some(FailureCode::Quota), ..RunFilter::default() };
    assert_eq!(count(quota.clone()).await, 3);
    let queued = Some(RunState::Queued);
    assert_eq!(count(RunFilter { state: queued, ..RunFilter::default() }).await, 2);
    assert_eq!(count(RunFilter { state: queued, ..quota }).await, 0);
    let session_id = Some(store.run(ids[0]).await.unwrap().unwrap().run.session_id);
    assert_eq!(count(RunFilter { session_id, ..RunFilter::default() }).await, 1);
    assert_eq!(count(RunFilter { limit: Some(0), ..RunFilter::default() }).await, 1);
    let of = |kind| RunFilter { kind: Some(kind), ..RunFilter::default() };
    assert_eq!(count(of(RunKind::Analyze)).await, 7);
    assert_eq!(count(of(RunKind::Orchestrate)).await, 0);
}

#[tokio::test]
async fn a_run_shows_what_was_answered() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    let record = store.run(run.run_id).await.unwrap().unwrap();
    assert_eq!(record.run.problem.as_deref(), Some("Where does the cache live?"));
    assert_eq!((record.run.state, record.outcome), (RunState::Queued, None));
    store.start(run.run_id).await.unwrap();
    let state = store.run(run.run_id).await.unwrap().unwrap().run.state;
    assert_eq!(state, RunState::Running);
    finish(&store, run.run_id, failed_finish(FailureCode::Cancelled)).await;
    let record = store.run(run.run_id).await.unwrap().unwrap();
    assert_eq!(record.run.state, RunState::Cancelled);
    assert_eq!(record.outcome, Some(failed_finish(FailureCode::Cancelled).outcome));
    let twice = store.finish(run.run_id, advice_finish(), LastEvents::default()).await;
    assert!(matches!(twice, Err(StoreError::AlreadyEnded { .. })));
    let late = store.start(run.run_id).await;
    assert!(matches!(late, Err(StoreError::AlreadyEnded { .. })));
    let unknown = store.start(RunId::generate()).await;
    assert!(matches!(unknown, Err(StoreError::UnknownRun { .. })));
}

#[tokio::test]
async fn without_bodies_no_word_of_question_or_answer_is_on_the_disk() {
    let mut bench = Bench::new();
    bench.settings.bodies = false;
    let store = bench.open().await;
    let first = lease(&store, new_run(Phase::Initial, None)).await;
    let data = json!({ "stage": "message", "text": "the cache live", "subject": "cache live" });
    let said = Event { seq: Some(1), name: EventName::Progress, data };
    assert!(store.offer_event(first.run_id, said));
    finish(&store, first.run_id, advice_finish()).await;
    let record = store.run(first.run_id).await.unwrap().unwrap();
    assert_eq!((record.run.problem, record.outcome), (None, None));
    let end = store.events_after(first.run_id, 0).await.unwrap().events;
    assert_eq!(end[0].data, json!({ "stage": "message" }));
    assert_eq!((end[1].name.as_str(), &end[1].data), ("report", &serde_json::Value::Null));
    let second = lease(&store, new_run(Phase::Final, Some(first.session_id))).await;
    let previous = second.previous.unwrap();
    assert_eq!((previous.question, previous.advice), (None, None));
    assert_eq!(previous.thread, Some(thread()), "the conversation itself can go on");
    for entry in std::fs::read_dir(bench.dir.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("cache live") && !text.contains("raw_text"));
    }
}

#[tokio::test]
async fn what_retention_removes_is_overwritten() {
    let bench = Bench::new();
    let store = bench.open().await;
    let new = new_run(Phase::Initial, None);
    let new = with_context(new, "the secret ingredient ".repeat(2000));
    let run = lease(&store, new).await;
    finish(&store, run.run_id, advice_finish()).await;
    bench.pass(31 * 24 * HOUR_MS);
    store.purge().await.unwrap();
    store.close().await;
    let bytes = std::fs::read(bench.dir.path().join("state.sqlite")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("secret ingredient"));
}

#[tokio::test]
async fn events_come_in_order_and_end_with_the_outcome() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    for seq in [1, 2] {
        assert!(store.offer_event(run.run_id, event(seq)));
    }
    let page = store.events_after(run.run_id, 1).await.unwrap();
    assert_eq!((events(&page.events), page.rest), (vec![(2, "progress")], EventRest::Open));
    let last = LastEvents { events: vec![event(2), event(3)], end_seq: Some(4) };
    store.finish(run.run_id, advice_finish(), last).await.unwrap();
    let page = store.events_after(run.run_id, 0).await.unwrap();
    let all = vec![(1, "progress"), (2, "progress"), (3, "progress"), (4, "report")];
    assert_eq!((events(&page.events), page.rest), (all, EventRest::Ended));
    assert_eq!(page.events[3].data, advice_finish().outcome);
    for after in [4, 5, u64::MAX] {
        let page = store.events_after(run.run_id, after).await.unwrap();
        assert_eq!((page.events, page.rest), (vec![], EventRest::Ended));
    }
    let unknown = store.events_after(RunId::generate(), 0).await;
    assert!(matches!(unknown, Err(StoreError::UnknownRun { .. })));
}

#[tokio::test]
async fn a_long_log_comes_in_pages() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await;
    let many = u64::from(EVENT_PAGE_MAX) * 2;
    let last = LastEvents { events: (1..=many).map(event).collect(), end_seq: Some(many + 1) };
    store.finish(run.run_id, advice_finish(), last).await.unwrap();
    let mut seen = Vec::new();
    loop {
        let page = store.events_after(run.run_id, seen.len() as u64).await.unwrap();
        seen.extend(page.events.iter().filter_map(|event| event.seq));
        if page.rest == EventRest::Ended {
            break;
        }
    }
    assert_eq!(seen, (1..=many + 1).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_acceptance_that_nobody_waits_for_ends_as_cancelled() {
    let bench = Bench::new();
    let store = bench.open().await;
    let new = new_run(Phase::Initial, None);
    let run_id = new.run_id;
    {
        let accept = store.accept(new);
        tokio::pin!(accept);
        // Polled once: the request is on its way, its answer is not.
        assert!(futures_util::poll!(&mut accept).is_pending());
    }
    for _ in 0..1000 {
        tokio::task::yield_now().await;
        let ended = store.run(run_id).await.unwrap().is_some_and(|run| run.run.state.is_terminal());
        if ended {
            break;
        }
    }
    let run = store.run(run_id).await.unwrap().unwrap().run;
    assert_eq!(run.state, RunState::Cancelled);
    lease(&store, new_run(Phase::Initial, Some(run.session_id))).await;
}

#[tokio::test]
async fn a_closed_store_says_so_and_frees_the_folder() {
    let bench = Bench::new();
    let store = bench.open().await;
    let other = store.clone();
    store.close().await;
    assert!(matches!(other.probe().await, Err(StoreError::Closed)));
    assert!(!other.offer_event(RunId::generate(), event(1)));
    bench.open().await.probe().await.unwrap();
}
