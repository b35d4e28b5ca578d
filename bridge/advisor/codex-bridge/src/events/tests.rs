//! The hub over a real store.

use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use contract::input::{AdvisorInput, Options, Phase};
use futures_util::StreamExt as _;
use tempfile::TempDir;

use super::*;
use crate::request::{AckMode, Request};
use crate::store::clock::Clock;
use crate::store::record::{Accept, Ending, NewRun, RunFacts, Settings};

struct Bench {
    dir: TempDir,
    hub: EventHub,
}

impl Bench {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let hub = EventHub::new(open(&dir).await);
        Self { dir, hub }
    }

    async fn reopen(&mut self) {
        self.hub.store.close().await;
        self.hub = EventHub::new(open(&self.dir).await);
    }

    async fn accept(&self) -> RunId {
        let question = AdvisorInput {
            problem: "p".to_owned(),
            context: "c".to_owned(),
            candidate_plans: Vec::new(),
            questions_for_codex: Vec::new(),
            non_goals: Vec::new(),
            phase: Phase::Initial,
            session_id: None,
            workspace: None,
            options: Options::default(),
        };
        let new = NewRun {
            run_id: RunId::generate(),
            request: Request::Analyze(Box::new(question)),
            body_hash: [0; 32],
            key: None,
            ack_mode: AckMode::AtOnce,
            workspace: None,
        };
        match self.hub.store.accept(new).await.unwrap() {
            Accept::New(lease) => lease.run_id,
            other => panic!("{other:?}"),
        }
    }

    async fn all(&self, run_id: RunId, after: u64) -> Vec<Event> {
        self.hub.subscribe(run_id, after).await.unwrap().collect().await
    }
}

async fn open(dir: &TempDir) -> Store {
    let settings = Settings {
        session_ttl: Duration::from_secs(3600),
        retention: Duration::from_secs(3600),
        bodies: true,
    };
    Store::open(dir.path(), settings, Clock::system(), |_| {}).await.unwrap().0
}

fn failed() -> Finish {
    let code = FailureCode::Crashed;
    Finish {
        ending: Ending::Failure(code),
        outcome: serde_json::to_value(Failure::new(code, "words")).unwrap(),
        thread: None,
        duration: Duration::ZERO,
        facts: RunFacts::default(),
    }
}

fn positions(events: &[Event]) -> Vec<u64> {
    events.iter().filter_map(|event| event.seq).collect()
}

#[tokio::test]
async fn a_reader_gets_every_event_once_whenever_it_comes() {
    let mut bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    let early = tokio::spawn(bench.hub.subscribe(run_id, 0).await.unwrap().collect::<Vec<_>>());
    log.append(EventName::Queued, json!({}));
    log.append(EventName::Started, json!({}));
    let middle = bench.hub.subscribe(run_id, 1).await.unwrap();
    let mut slow = Box::pin(bench.hub.subscribe(run_id, 0).await.unwrap());
    assert_eq!(slow.next().await.unwrap().name, EventName::Queued);
    for n in 0..20 {
        log.append(EventName::Progress, json!({ "n": n }));
        tokio::task::yield_now().await;
    }
    log.finish(failed()).await.unwrap();

    let whole = early.await.unwrap();
    assert_eq!(positions(&whole), (1..=23).collect::<Vec<_>>());
    assert_eq!(whole[22].name, EventName::Failure);
    assert_eq!(whole[22].data, failed().outcome);
    assert_eq!(middle.collect::<Vec<_>>().await, whole[1..]);
    assert_eq!(slow.collect::<Vec<_>>().await, whole[1..]);
    assert_eq!(bench.all(run_id, 0).await, whole, "from the store");
    assert_eq!(bench.all(run_id, 22).await, whole[22..]);
    assert_eq!(bench.all(run_id, 23).await, []);
    assert!(bench.hub.live().is_empty());
    bench.reopen().await;
    assert_eq!(bench.all(run_id, 0).await, whole, "after a restart");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_that_come_at_any_moment_miss_nothing() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    let readers: Vec<_> = (0..60)
        .map(|number| {
            let hub = bench.hub.clone();
            tokio::spawn(async move {
                for _ in 0..number * 20 {
                    tokio::task::yield_now().await;
                }
                hub.subscribe(run_id, 0).await.unwrap().collect::<Vec<_>>().await
            })
        })
        .collect();
    for n in 0..300 {
        log.append(EventName::Progress, json!({ "n": n }));
        tokio::task::yield_now().await;
    }
    log.finish(failed()).await.unwrap();
    for reader in readers {
        assert_eq!(positions(&reader.await.unwrap()), (1..=301).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_chatty_run_has_a_bounded_log() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    for n in 0..100_000 {
        log.append(EventName::Progress, json!({ "n": n }));
    }
    log.append(EventName::Retry, json!({ "attempt": 2 }));
    log.append(EventName::Progress, json!({ "text": "x".repeat(1_000_000) }));
    log.finish(failed()).await.unwrap();
    let events = bench.all(run_id, 0).await;
    // 500 told, counts at 1, 2, 4 .. 65,536, the retry, the whole count, the end.
    assert_eq!(events.len(), PROGRESS_MAX + 17 + 3);
    let tail: Vec<_> = events[516..].iter().map(|event| (event.name, &event.data)).collect();
    let retry = json!({ "attempt": 2 });
    let (most, whole) = (json!({ "omitted": 65_536 }), json!({ "omitted": 99_501 }));
    let outcome = failed().outcome;
    let expected = [
        (EventName::Progress, &most),
        (EventName::Retry, &retry),
        (EventName::Progress, &whole),
        (EventName::Failure, &outcome),
    ];
    assert_eq!(tail, expected);
    assert_eq!(positions(&events), (1..=520).collect::<Vec<_>>());
}

#[tokio::test]
async fn large_data_is_replaced_by_its_size() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    log.append(EventName::Progress, json!("x".repeat(EVENT_DATA_MAX_BYTES - 2)));
    log.append(EventName::Progress, json!("x".repeat(EVENT_DATA_MAX_BYTES - 1)));
    log.finish(failed()).await.unwrap();
    let events = bench.all(run_id, 0).await;
    assert!(events[0].data.is_string());
    assert_eq!(events[1].data, json!({ "omitted_bytes": 4097 }));
}

#[tokio::test]
async fn a_log_whose_writer_died_ends_and_goes_on_in_the_store() {
    let bench = Bench::new().await;
    let [given_up, ended] = [bench.accept().await, bench.accept().await];
    let mut log = bench.hub.begin(given_up);
    let reader = tokio::spawn(bench.hub.subscribe(given_up, 0).await.unwrap().collect::<Vec<_>>());
    log.append(EventName::Queued, json!({}));
    drop(log);
    assert_eq!(positions(&reader.await.unwrap()), [1]);

    let log = bench.hub.begin(ended);
    let reader = bench.hub.subscribe(ended, 0).await.unwrap();
    bench.hub.store.finish(ended, failed(), LastEvents::default()).await.unwrap();
    drop(log);
    let events: Vec<_> = reader.collect().await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].name, EventName::Failure);
}

#[tokio::test]
async fn an_answer_that_cannot_be_stored_is_told_all_the_same() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    let reader = bench.hub.subscribe(run_id, 0).await.unwrap();
    log.append(EventName::Queued, json!({}));
    bench.hub.store.close().await;
    assert!(matches!(log.finish(failed()).await, Err(StoreError::Closed)));
    assert_eq!(positions(&reader.collect::<Vec<_>>().await), [1, 2]);
}

#[tokio::test]
async fn an_unknown_run_has_no_log() {
    let bench = Bench::new().await;
    let found = bench.hub.subscribe(RunId::generate(), 0).await;
    assert!(matches!(found.map(|_| ()), Err(StoreError::UnknownRun { .. })));
}

/// The stage of each event, with its id.
fn stages(events: &[Event]) -> Vec<(Option<u64>, &str)> {
    events.iter().map(|event| (event.seq, event.data["stage"].as_str().unwrap_or("-"))).collect()
}

#[tokio::test]
async fn a_change_of_the_models_stage_is_kept_and_a_count_is_not() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    let reader = tokio::spawn(bench.hub.subscribe(run_id, 0).await.unwrap().collect::<Vec<_>>());
    log.append(EventName::Queued, json!({}));
    assert_eq!(bench.hub.progress(run_id), None, "no model was asked");
    log.hear(Sign::Asked);
    log.hear(Sign::Head);
    assert_eq!(bench.hub.progress(run_id).unwrap().events, 0);
    // The first event is told at once, without an id.
    log.hear(Sign::Thought);
    let mut late = Box::pin(bench.hub.subscribe(run_id, 3).await.unwrap());
    let latest = late.next().await.unwrap();
    assert_eq!((latest.seq, &latest.data), (None, &json!({ "stage": "thinking", "events": 1 })));
    // Let the early reader see it as well.
    tokio::task::yield_now().await;
    log.hear(Sign::Answer);
    log.forget_model();
    assert_eq!(bench.hub.progress(run_id), None);
    log.finish(failed()).await.unwrap();

    let expected = [
        (Some(1), "-"),
        (Some(2), "waiting"),
        (Some(3), "thinking"),
        (Some(4), "writing"),
        (Some(5), "-"),
    ];
    let kept = bench.all(run_id, 0).await;
    assert_eq!(stages(&kept), expected, "ids without a gap");
    assert_eq!(
        late.collect::<Vec<_>>().await,
        kept[3..],
        "nothing is lost behind a volatile event"
    );
    let told = reader.await.unwrap();
    let logged: Vec<_> = told.iter().filter(|event| event.seq.is_some()).cloned().collect();
    assert_eq!(logged, kept);
}

#[tokio::test]
async fn a_flood_of_signs_leaves_few_rows_and_one_volatile_event() {
    let bench = Bench::new().await;
    let run_id = bench.accept().await;
    let mut log = bench.hub.begin(run_id);
    for n in 0..20_000 {
        log.hear(if n % 2 == 0 { Sign::Thought } else { Sign::Answer });
    }
    let shown = bench.hub.progress(run_id).unwrap();
    assert!(shown.events >= liveness::CHANGES_MAX as u64, "{shown:?}");
    // Someone who comes late gets what is kept, and the latest of the others.
    let mut late = Box::pin(bench.hub.subscribe(run_id, 0).await.unwrap());
    for seq in 1..=liveness::CHANGES_MAX as u64 {
        assert_eq!(late.next().await.unwrap().seq, Some(seq));
    }
    assert_eq!(late.next().await.unwrap().seq, None);
    // They leave all the room for what else happens.
    for n in 0..PROGRESS_MAX {
        log.append(EventName::Progress, json!({ "n": n }));
    }
    log.finish(failed()).await.unwrap();
    let kept = bench.all(run_id, 0).await;
    assert_eq!(kept.len(), liveness::CHANGES_MAX + PROGRESS_MAX + 1);
    assert!(kept.iter().all(|event| event.seq.is_some() && event.data.get("omitted").is_none()));
}
