//! The queries of the pages: lists, searches, sums; and runs of an older version.

use contract::event::{Event, EventName};
use contract::run::{RunKind, RunState};
use rusqlite::Connection;

use super::super::database::{DATABASE_FILE, MIGRATIONS};
use super::*;

fn costly(model: &str) -> Finish {
    let usage = Usage {
        input_tokens: 10,
        cached_input_tokens: 4,
        output_tokens: 5,
        reasoning_output_tokens: 2,
    };
    let facts = RunFacts {
        usage: Some(usage),
        model: Some(model.to_owned()),
        driver: Some("exec".to_owned()),
        attempts: Some(2),
        queue_ms: Some(7),
        first_event_ms: Some(900),
    };
    Finish { facts, ..advice_finish() }
}

fn about(problem: &str) -> NewRun {
    let mut new = new_run(Phase::Initial, None);
    let Request::Analyze(question) = &mut new.request else { panic!("not a question") };
    question.problem = problem.to_owned();
    new
}

/// The problems of the runs that a search finds, in its order.
async fn found(store: &Store, search: RunSearch) -> Vec<String> {
    let search = RunSearch { limit: 50, ..search };
    let page = store.search(search).await.unwrap();
    page.rows.into_iter().filter_map(|row| row.run.problem).collect()
}

fn text(text: &str) -> RunSearch {
    RunSearch { text: text.to_owned(), ..RunSearch::default() }
}

#[tokio::test]
async fn each_event_has_its_time_and_one_of_an_older_version_has_none() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await.run_id;
    for seq in [1, 2, 3] {
        bench.pass(250);
        let event = Event { seq: Some(seq), name: EventName::Progress, data: json!({}) };
        assert!(store.offer_event(run, event));
        // Whatever is asked comes after it.
        store.events_after(run, 0).await.unwrap();
    }
    bench.pass(1_000);
    finish(&store, run, advice_finish()).await;
    store.close().await;
    let path = bench.dir.path().join(DATABASE_FILE);
    Connection::open(path)
        .unwrap()
        .execute("UPDATE events SET at = NULL WHERE seq = 2", [])
        .unwrap();
    let store = bench.open().await;
    let times: Vec<(u64, i64)> = store.event_times(run).await.unwrap().into_iter().collect();
    assert_eq!(times, [(1, START_MS + 250), (3, START_MS + 750), (4, START_MS + 1_750)]);
    assert!(store.event_times(RunId::generate()).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_run_cost_stays_also_where_its_texts_do_not() {
    for bodies in [true, false] {
        let mut bench = Bench::new();
        bench.settings.bodies = bodies;
        let store = bench.open().await;
        let run = lease(&store, new_run(Phase::Initial, None)).await.run_id;
        let end = costly("gpt-5.5");
        finish(&store, run, end.clone()).await;
        store.close().await;
        let store = bench.open().await;
        let kept = store.run_text(run).await.unwrap().unwrap();
        assert_eq!(kept.row.facts, end.facts);
        assert_eq!(kept.row.created_ms, START_MS);
        assert_eq!((kept.question.is_some(), kept.outcome.is_some()), (bodies, bodies));
        let costs = store.costs(None, START_MS).await.unwrap();
        assert_eq!(costs.len(), 1);
        assert_eq!((costs[0].usage, costs[0].first_event_ms), (end.facts.usage, Some(900)));
        assert_eq!(store.models().await.unwrap(), ["gpt-5.5"]);
    }
}

#[tokio::test]
async fn a_text_is_sought_in_values_and_has_no_meaning_as_a_pattern() {
    let bench = Bench::new();
    let store = bench.open().await;
    for problem in ["100% sure", "a_b or a\\b", "缓存放在哪里", "say \"no\"", "Straße"] {
        let run = lease(&store, about(problem)).await.run_id;
        finish(&store, run, advice_finish()).await;
        bench.pass(1000);
    }
    let check = async |sought: &str, expected: &[&str]| {
        assert_eq!(found(&store, text(sought)).await, expected, "{sought:?}");
    };
    check("100%", &["100% sure"]).await;
    check("%", &["100% sure"]).await;
    check("_", &["a_b or a\\b"]).await;
    check("\\", &["a_b or a\\b"]).await;
    check("A_B", &["a_b or a\\b"]).await;
    check("缓存", &["缓存放在哪里"]).await;
    check("哪里", &["缓存放在哪里"]).await;
    check("\"no\"", &["say \"no\""]).await;
    check("straße", &["Straße"]).await;
    // Of the answers, and a key of every question.
    check("TEXT", &["Straße", "say \"no\"", "缓存放在哪里", "a_b or a\\b", "100% sure"]).await;
    check("candidate_plans", &[]).await;
    check("' OR 1=1 --", &[]).await;
    check("\u{0}", &[]).await;
}

#[tokio::test]
async fn pages_follow_one_another_and_lose_no_run() {
    let bench = Bench::new();
    let store = bench.open().await;
    for number in 0..7 {
        let run = lease(&store, about(&format!("run {number}"))).await.run_id;
        let end = if number % 2 == 0 { costly("small") } else { failed_finish(FailureCode::Quota) };
        finish(&store, run, end).await;
        bench.pass(1000);
    }
    for sought in ["", "run"] {
        let mut seen = Vec::new();
        for skip in [0, 3, 6, 9] {
            let search = RunSearch { skip, limit: 3, ..text(sought) };
            let page = store.search(search).await.unwrap();
            assert_eq!(page.has_next, skip < 6 && skip + 3 < 7, "{sought:?} {skip}");
            assert_eq!(page.total, sought.is_empty().then_some(7));
            seen.extend(page.rows.into_iter().filter_map(|row| row.run.problem));
        }
        let all: Vec<String> = (0..7).rev().map(|number| format!("run {number}")).collect();
        assert_eq!(seen, all, "{sought:?}");
    }
    let of = RunSearch::default;
    let count = async |search: RunSearch| found(&store, search).await.len();
    assert_eq!(count(RunSearch { state: Some(RunState::Failed), ..of() }).await, 3);
    assert_eq!(count(RunSearch { code: Some(FailureCode::Quota), ..of() }).await, 3);
    assert_eq!(count(RunSearch { model: Some("small".to_owned()), ..of() }).await, 4);
    assert_eq!(count(RunSearch { kind: Some(RunKind::Orchestrate), ..of() }).await, 0);
    assert_eq!(count(RunSearch { from_ms: Some(START_MS + 2000), ..of() }).await, 5);
    assert_eq!(count(RunSearch { before_ms: Some(START_MS + 2000), ..of() }).await, 2);
    assert_eq!(count(RunSearch { state: Some(RunState::Failed), ..text("run 1") }).await, 1);
}

#[tokio::test]
async fn what_runs_is_listed_before_what_waits_and_what_ended_last_comes_first() {
    let bench = Bench::new();
    let store = bench.open().await;
    let mut runs = Vec::new();
    for number in 0..5 {
        runs.push(lease(&store, about(&number.to_string())).await.run_id);
        bench.pass(1000);
    }
    store.start(runs[2]).await.unwrap();
    finish(&store, runs[3], advice_finish()).await;
    bench.pass(1000);
    finish(&store, runs[0], advice_finish()).await;
    let problems = |rows: Vec<RunRow>| -> Vec<String> {
        rows.into_iter().filter_map(|row| row.run.problem).collect()
    };
    assert_eq!(problems(store.live_rows(None).await.unwrap()), ["2", "1", "4"]);
    assert_eq!(problems(store.ended_rows(None, 9).await.unwrap()), ["0", "3"]);
    assert_eq!(problems(store.ended_rows(None, 1).await.unwrap()), ["0"]);
    let other = Some(RunKind::Orchestrate);
    assert_eq!(store.live_rows(other).await.unwrap(), []);
    assert_eq!(store.ended_rows(other, 9).await.unwrap(), []);
}

/// The rows of a file of schema 4, by what their outcome is.
#[tokio::test]
async fn runs_of_an_older_version_tell_what_their_outcome_tells() {
    let bench = Bench::new();
    let path = bench.dir.path().join("state.sqlite");
    let connection = Connection::open(&path).unwrap();
    for script in &MIGRATIONS[..4] {
        connection.execute_batch(script).unwrap();
    }
    connection
        .execute_batch("PRAGMA application_id = 0x63647862; PRAGMA user_version = 4")
        .unwrap();
    let whole = json!({ "meta": {
        "attempts": 2, "queue_ms": 9, "codex": { "model": "gpt-5.5" },
        "usage": { "input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 5,
                   "reasoning_output_tokens": 2 },
    } });
    let odd = json!({ "meta": { "attempts": "2", "codex": { "model": 7 },
                                "usage": { "input_tokens": "10", "output_tokens": 1.5 } } });
    let outcomes =
        [Some(whole.to_string()), Some(odd.to_string()), Some("no JSON".to_owned()), None];
    connection
        .execute_batch(
            "INSERT INTO sessions (session_id, opening, created_at, expires_at)
             VALUES ('0199a213-81c0-7800-8aa1-bbab2a035a50', 'initial', 1, 2)",
        )
        .unwrap();
    for (number, outcome) in outcomes.iter().enumerate() {
        connection
            .execute(
                "INSERT INTO runs (run_id, session_id, round, phase, state, created_at, finished_at,
                 outcome) VALUES ('0199a213-81c0-7800-8aa1-bbab2a035a5' || ?1,
                 '0199a213-81c0-7800-8aa1-bbab2a035a50', 1, 'initial', 'succeeded', ?2, 2, ?3)",
                rusqlite::params![number, START_MS, outcome],
            )
            .unwrap();
    }
    drop(connection);

    let store = bench.open().await;
    let mut facts = Vec::new();
    for number in 0..outcomes.len() {
        let id = format!("0199a213-81c0-7800-8aa1-bbab2a035a5{number}").parse().unwrap();
        // An outcome that is not JSON was not written by us: the run cannot be read, its columns can.
        if number != 2 {
            facts.push(store.run_text(id).await.unwrap().unwrap().row.facts);
        }
    }
    let expected = RunFacts { queue_ms: Some(9), first_event_ms: None, ..costly("gpt-5.5").facts };
    assert_eq!(facts[0], expected);
    assert_eq!(facts[1].usage, None);
    assert_eq!((facts[1].model.as_deref(), facts[1].attempts), (None, None));
    assert_eq!(facts[2], RunFacts::default());
    assert_eq!(store.costs(None, 0).await.unwrap().len(), 4);
}

#[tokio::test]
async fn what_pages_ask_is_answered_while_a_write_is_under_way() {
    let bench = Bench::new();
    let store = bench.open().await;
    let run = lease(&store, new_run(Phase::Initial, None)).await.run_id;
    let other = Connection::open(bench.dir.path().join("state.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.live_rows(None).await.unwrap()[0].run.run_id, run);
    other.execute_batch("ROLLBACK").unwrap();
    store.close().await;
    assert!(matches!(store.live_rows(None).await, Err(StoreError::Closed)));
}
